package io.tallystick.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A shell that is told one line after the other, and what it prints, output and errors as they come. */
final class Terminal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;
    private static final String PROMPT = "@ready@";

    private final Process shell;
    private final Writer keyboard;
    private final BlockingQueue<String> screen = new LinkedBlockingQueue<>();
    private Path directory;

    /** @param environment added to that of this process */
    Terminal(Path directory, Map<String, String> environment) throws IOException {
        this.directory = directory;
        ProcessBuilder builder =
                new ProcessBuilder("bash").directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        this.shell = builder.start();
        this.keyboard = new OutputStreamWriter(shell.getOutputStream(), StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "terminal");
        reader.setDaemon(true);
        reader.start();
    }

    /** Where the shell is. */
    Path directory() {
        return directory;
    }

    /**
     * Types a command and returns what was printed until it was over and {@code atLeast} lines were there.
     *
     * @throws AssertionError nothing came for two minutes
     */
    List<String> type(String command, int atLeast) throws IOException, InterruptedException {
        keyboard.write(command + "\necho; echo \"" + PROMPT + "$PWD\"\n");
        keyboard.flush();
        List<String> printed = new ArrayList<>();
        boolean isReady = false;
        while (!isReady || printed.size() < atLeast) {
            String line = screen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new AssertionError(command + " printed only\n" + String.join("\n", printed));
            }
            if (line.startsWith(PROMPT)) {
                isReady = true;
                directory = Path.of(line.substring(PROMPT.length()));
                // The empty line before it is ours.
                printed.remove(printed.lastIndexOf(""));
            } else {
                printed.add(line);
            }
        }
        return printed;
    }

    /** Ends the shell and all that it has started. */
    @Override
    public void close() {
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                screen.add(line);
            }
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }
}
