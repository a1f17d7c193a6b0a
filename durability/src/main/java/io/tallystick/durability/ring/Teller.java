package io.tallystick.durability.ring;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process and the lines that it prints: the first word says what happened, the rest follows a blank. */
final class Teller {
    /** The line after the last one. */
    static final String ENDED = "ended";

    private final Process process;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    // Read by others when the reader has ended.
    private final Set<String> committed = new TreeSet<>();
    private final Thread reader;

    Teller(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "teller");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(RingProcess.COMMITTED)) {
                    committed.add(rest(line));
                } else {
                    said.add(line);
                }
            }
        } catch (IOException killed) {
            // the process prints no more lines
        } finally {
            said.add(ENDED);
        }
    }

    static String rest(String line) {
        return line.substring(line.indexOf(' ') + 1);
    }

    void hear(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** The next line that is not about a committed transaction; empty if there is none in that time. */
    Optional<String> next(long millis) throws InterruptedException {
        return Optional.ofNullable(said.poll(millis, TimeUnit.MILLISECONDS));
    }

    /** Sends the process a signal, such as {@code STOP}. */
    void signal(String name) throws IOException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .onExit()
                .join();
    }

    /** The status with which the process ends; empty if it does not end in that time. */
    OptionalInt awaitEnd(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS) ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
    }

    /** The transactions that it has committed. */
    Set<String> kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
        reader.join();
        return committed;
    }

    /** Kills the process, and waits for nothing. */
    void abandon() {
        process.destroyForcibly();
    }
}
