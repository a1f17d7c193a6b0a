package io.tallystick.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The number of write operations a second that the disk of this run may do. The script benchmarks/throttled made that
 * disk; its environment variables name the file that sets the rate.
 *
 * @param version of the cgroups, 1 or 2, which write the rate differently
 * @param file that sets the rate
 * @param device major and minor number
 */
public record Throttle(int version, Path file, String device) {
    private static final String VARIABLE = "BENCH_THROTTLE";

    /** The slow disk of this process, if the script has made one. */
    public static Optional<Throttle> of(Map<String, String> environment) {
        String[] words = environment.getOrDefault(VARIABLE, "").split(" ");
        return words.length == 3
                ? Optional.of(new Throttle(Integer.parseInt(words[0]), Path.of(words[1]), words[2]))
                : Optional.empty();
    }

    /** Sets the rate from now on. */
    public void set(int writesPerSecond) throws IOException {
        Files.writeString(file, device + (version == 1 ? " " : " wiops=") + writesPerSecond);
    }
}
