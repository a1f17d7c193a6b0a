package io.tallystick.durability.ring;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process and the lines that it prints: the first word says what happened, the rest follows a blank. */
public final class Teller {
    /** The first word of the line about a committed transaction; its name follows. */
    public static final String COMMITTED = "committed";

    /** The line after the last one. */
    public static final String ENDED = "ended";

    private final Process process;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final Set<String> committed = new ConcurrentSkipListSet<>();
    private final Thread reader;

    /** Reads what this process prints from now on. */
    public Teller(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "teller");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(COMMITTED)) {
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

    /** What follows the first word of a line. */
    public static String rest(String line) {
        return line.substring(line.indexOf(' ') + 1);
    }

    /** Gives the process a line to read. */
    public void hear(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Gives the process the end of its input. */
    public void hearNoMore() throws IOException {
        process.getOutputStream().close();
    }

    /** The next line that is not about a committed transaction; empty if there is none in that time. */
    public Optional<String> next(long millis) throws InterruptedException {
        return Optional.ofNullable(said.poll(millis, TimeUnit.MILLISECONDS));
    }

    /** Sends the process a signal, such as {@code STOP}. */
    public void signal(String name) throws IOException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .onExit()
                .join();
    }

    /** The status with which the process ends; empty if it does not end in that time. */
    public OptionalInt awaitEnd(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS) ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
    }

    /** The transactions whose commit it has reported so far. */
    public Set<String> committed() {
        return Set.copyOf(committed);
    }

    /** Kills the process, and answers the transactions that it has reported as committed. */
    public Set<String> kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
        reader.join();
        return committed;
    }

    /** Kills the process, and waits for nothing. */
    public void abandon() {
        process.destroyForcibly();
    }
}
