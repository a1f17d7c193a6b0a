package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.WarmUp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that stays for all measurements of one store, and is warmed up before the first one of each kind of
 * transaction. Between its measurements it waits while other JVMs are measured.
 */
final class WarmJvm implements AutoCloseable {
    /** Threads of a warm-up: enough to compile what callers do beside each other, and few enough to let it compile. */
    private static final int WARMING = 16;
    /** Time that a command may take beyond its own. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration CLOSING = Duration.ofSeconds(20);

    private final Process process;
    private final PrintStream commands;
    private final BufferedReader output;
    private final ForkLog log;
    private final Path store;
    private final Set<Kind> warm = new HashSet<>();
    private final Map<Cell, Integer> turns = new HashMap<>();

    /** Transactions that are warmed up together. */
    private record Kind(String store, Protocol protocol) {}

    private WarmJvm(Process process, ForkLog log, Path store) {
        this.process = process;
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.log = log;
        this.store = store;
    }

    /**
     * Starts a JVM.
     *
     * @param arguments of the JVM, with those that choose the store in {@code store}
     */
    static WarmJvm start(Path prepared, List<String> arguments, Path store, ForkLog log) throws IOException {
        List<String> command = ForkedJvm.command(prepared, arguments, WarmProcess.class);
        return new WarmJvm(new ProcessBuilder(command).redirectErrorStream(true).start(), log, store);
    }

    /** How often this cell was measured in this JVM. */
    int turnsOf(Cell cell) {
        return turns.getOrDefault(cell, 0);
    }

    /** Whether a warm-up comes before this cell. */
    boolean isNew(Cell.Transactions cell) {
        return !warm.contains(new Kind(cell.store(), cell.protocol()));
    }

    /**
     * Measures a cell, after a warm-up if transactions of its kind are new to this JVM.
     *
     * @param counts numbers of threads with which transactions of its kind are measured in the run
     * @throws RunnerException a transaction failed, or the JVM has ended or gives no answer; then it is of no more use
     */
    RunResult measure(Cell.Transactions cell, Set<Integer> counts, Plan.Timing timing, Duration stuckAfter)
            throws RunnerException, IOException {
        Kind kind = new Kind(cell.store(), cell.protocol());
        boolean isKnownButForItsReaper = warm.stream().anyMatch(each -> each.protocol() == kind.protocol());
        if (warm.add(kind)) {
            int mostSeconds = isKnownButForItsReaper ? WarmUp.MOST_SECONDS_MORE : WarmUp.MOST_SECONDS;
            ask(
                    String.join(
                            " ",
                            WarmProcess.WARM,
                            cell.store(),
                            cell.protocol().label(),
                            Integer.toString(WARMING),
                            Integer.toString(mostSeconds),
                            counts.stream().map(String::valueOf).collect(Collectors.joining(","))),
                    PATIENCE);
        }
        Path file = store.resolveSibling(store.getFileName() + ".result");
        ask(
                String.join(
                        " ",
                        WarmProcess.MEASURE,
                        cell.store(),
                        cell.protocol().label(),
                        Integer.toString(cell.threads()),
                        Long.toString(timing.warmup().toMillis()),
                        Integer.toString(timing.iterations()),
                        Long.toString(timing.iteration().toMillis()),
                        Long.toString(stuckAfter.toMillis()),
                        file.toString()),
                timing.total().plus(stuckAfter).plus(PATIENCE));
        turns.merge(cell, 1, Integer::sum);
        try (ObjectInputStream result = new ObjectInputStream(Files.newInputStream(file))) {
            return (RunResult) result.readObject();
        } catch (ClassNotFoundException otherJmh) {
            throw new RunnerException(otherJmh);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Whether the JVM can be asked. */
    boolean isAlive() {
        return process.isAlive();
    }

    private void ask(String command, Duration patience) throws RunnerException, IOException {
        commands.println(command);
        String answer = answerWithin(patience);
        if (!answer.equals(WarmProcess.DONE)) {
            throw new RunnerException(answer);
        }
    }

    /** Copies the output to the log, up to an answer, or to its end. Then the answer says why there is none. */
    private String answerWithin(Duration patience) throws IOException {
        AtomicBoolean isLate = new AtomicBoolean();
        Thread watch = new Thread(() -> killAfter(patience, isLate), "bench-watch");
        watch.setDaemon(true);
        watch.start();
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(WarmProcess.ANSWER)) {
                    return line.substring(WarmProcess.ANSWER.length());
                }
                log.println(line);
            }
            return isLate.get()
                    ? "the JVM gave no answer for " + patience.toSeconds() + " s"
                    : "the JVM ended; the log of the run has its output";
        } finally {
            watch.interrupt();
        }
    }

    private void killAfter(Duration patience, AtomicBoolean isLate) {
        try {
            TimeUnit.MILLISECONDS.sleep(patience.toMillis());
            isLate.set(true);
            process.toHandle().destroyForcibly(); // Process itself would close the output under its reader
        } catch (InterruptedException answered) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the JVM and deletes its store. */
    @Override
    public void close() throws IOException {
        commands.close();
        answerWithin(CLOSING);
        try {
            process.waitFor();
        } catch (InterruptedException stopped) {
            process.toHandle().destroyForcibly();
            Thread.currentThread().interrupt();
        }
        RunDirectory.deleteTree(store);
    }
}
