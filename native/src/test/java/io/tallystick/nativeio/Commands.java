package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The system's own programs. */
final class Commands {
    private Commands() {}

    /** What it printed, if it could be run and succeeded. */
    static Optional<String> output(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0
                    ? Optional.of(output.trim())
                    : Optional.empty();
        } catch (IOException notInstalled) {
            return Optional.empty();
        }
    }

    static boolean succeed(String... command) throws InterruptedException {
        return output(command).isPresent();
    }
}
