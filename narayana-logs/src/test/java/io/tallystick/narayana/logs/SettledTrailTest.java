package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** No line of a trail is lost, and none is glued to another. */
@Timeout(60)
class SettledTrailTest {
    @TempDir
    private Path directory;

    @Test
    void aLineThatAKilledProcessLeftUnfinishedEndsBeforeTheNext() throws IOException {
        add(1);
        Files.writeString(file(), "time=2026-11-27T03:12:45Z user=a", StandardOpenOption.APPEND);
        add(2);

        assertThat(Files.readAllLines(file())).hasSize(3);
        assertThat(Files.readAllLines(file()).get(2)).contains(" number=2 reason=r");
    }

    @Test
    void linesOfSeveralAtOnceOverwriteNone() throws Exception {
        ExecutorService several = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int number = i;
                all.add(several.submit(() -> {
                    add(number);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            several.shutdownNow();
        }
        assertThat(Files.readAllLines(file()))
                .hasSize(40)
                .allMatch(line -> line.matches("time=.* number=\\d+ reason=r"));
    }

    private void add(int number) throws IOException {
        new SettledTrail(new SystemDisk(), directory)
                .addLocked(Instant.EPOCH, "app", Map.of("number", String.valueOf(number)), "r");
    }

    private Path file() {
        return directory.resolve(SettledTrail.FILE_NAME);
    }
}
