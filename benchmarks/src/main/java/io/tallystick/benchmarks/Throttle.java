package io.tallystick.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * How many write operations a second the disk of this run is allowed to do. The script benchmarks/throttled has made that
 * disk, and says in the environment where its rate is set.
 *
 * @param version of the cgroups, 1 or 2, which write the rate differently
 * @param file that takes it
 * @param device major and minor number
 */
record Throttle(int version, Path file, String device) {
    private static final String VARIABLE = "BENCH_THROTTLE";

    /** The disk of this process, where somebody has slowed it down. */
    static Optional<Throttle> of(Map<String, String> environment) {
        String[] words = environment.getOrDefault(VARIABLE, "").split(" ");
        return words.length == 3
                ? Optional.of(new Throttle(Integer.parseInt(words[0]), Path.of(words[1]), words[2]))
                : Optional.empty();
    }

    /** From now on. */
    void set(int writesPerSecond) throws IOException {
        Files.writeString(file, device + (version == 1 ? " " : " wiops=") + writesPerSecond);
    }
}
