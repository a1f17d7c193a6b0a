package io.tallystick.store.file.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The targets of {@code testkit/fuzz} get sound inputs with random changes; the fuzzer itself takes minutes. */
class FileFuzzTest {
    private static final int INPUTS = 20_000;
    private static final long SEED = 1;

    @TempDir
    private Path directory;

    private final Random random = new Random(SEED);

    @Test
    void anyStateFileIsReadOrRefused() throws IOException {
        StateFileCheck.main(new String[] {"state-file", directory.toString()});
        int files = 0;
        for (byte[] input : changed()) {
            if (StateFileCheck.fuzzerTestOneInput(input)) {
                files++;
            }
        }
        assertThat(files).as("inputs that are state files").isGreaterThan(INPUTS / 100);
    }

    @Test
    void anyPathIsTheOneOfItsKeyOrOfNone() throws IOException {
        FileNamesCheck.main(new String[] {"file-names", directory.toString()});
        int keys = 0;
        for (byte[] input : changed()) {
            if (FileNamesCheck.fuzzerTestOneInput(input)) {
                keys++;
            }
        }
        assertThat(keys).as("inputs that name a key").isGreaterThan(INPUTS / 100);
    }

    private List<byte[]> changed() throws IOException {
        List<byte[]> sound = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                sound.add(Files.readAllBytes(file));
            }
        }
        List<byte[]> changed = new ArrayList<>();
        for (int i = 0; i < INPUTS; i++) {
            byte[] input = sound.get(random.nextInt(sound.size())).clone();
            for (int change = random.nextInt(4); change > 0; change--) {
                int at = random.nextInt(input.length);
                input[at] = random.nextBoolean() ? (byte) random.nextInt() : input[random.nextInt(input.length)];
            }
            changed.add(input);
        }
        return changed;
    }
}
