package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.SyscallFault;
import io.tallystick.durability.system.SystemCalls;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A system call of a real process fails: {@code strace} lets the n-th call of a kind fail, once or for ever, or kills
 * the process at it. First an undisturbed run lists the calls; each case then takes one of them. Afterwards the store
 * is opened again without {@code strace} and checked. If every sync fails for ever, no later forced write may return,
 * unless the store uses no syncs.
 */
public final class SyscallsStage implements Stage {
    private static final String FAULTS = "faults";
    private static final int STEPS = 40;
    private static final int EPILOGUE_STEPS = 6;
    private static final int ANSWER_SECONDS = 20;

    @Override
    public String name() {
        return "syscalls";
    }

    @Override
    public String description() {
        return "the n-th write, sync, rename, ... of a process fails, once or for ever, or kills it";
    }

    @Override
    public String unit() {
        return FAULTS;
    }

    @Override
    public long quickCount() {
        return 50;
    }

    @Override
    public long fullCount() {
        return 20_000;
    }

    @Override
    public Optional<String> unavailableBecause() {
        try {
            Process strace = new ProcessBuilder("strace", "-qq", "-f", "--seccomp-bpf", "-o", "/dev/null", "true")
                    .redirectErrorStream(true)
                    .start();
            strace.getInputStream().readAllBytes();
            return strace.waitFor(10, TimeUnit.SECONDS) && strace.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(
                            "strace --seccomp-bpf does not work here; it needs strace 5.3 and the right to trace");
        } catch (IOException missing) {
            return Optional.of("strace is not installed");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it makes no system calls");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        Path directory = scratch.toRealPath().resolve("store");
        Path trace = scratch.resolve("trace");
        // Creating the files of a store takes system calls that a write does not make.
        long syncsOfOpening = undisturbed(subject, directory, trace, 0).seen.syncs();
        Undisturbed undisturbed = undisturbed(subject, directory, trace, STEPS);
        SystemCalls seen = undisturbed.seen;
        if (seen.most().isEmpty()) {
            throw new IOException("strace saw no system call of " + subject.name());
        }
        boolean reliesOnSyncs = seen.syncs() - syncsOfOpening >= undisturbed.writes;
        return seed -> run(subject, directory, trace, seen, reliesOnSyncs, seed);
    }

    /** The system calls and writes of a run without a fault. */
    private record Undisturbed(SystemCalls seen, long writes) {}

    private static Undisturbed undisturbed(Subject subject, Path directory, Path trace, int steps) throws IOException {
        Directories.delete(directory);
        StoreProcess process = SubjectProcess.start(SystemCalls.recording(trace), subject, directory, ANSWER_SECONDS);
        AcknowledgedWrites writes = new AcknowledgedWrites(process);
        StoreWorkload.overwrites(0, steps).run(writes.observed());
        process.close();
        return new Undisturbed(SystemCalls.read(trace, directory), writes.count());
    }

    private static StoreWorkload workload(Subject subject, long seed) {
        return subject.is(Trait.WHOLE_CONTRACT) && seed % 2 == 1
                ? StoreWorkload.history(seed, STEPS)
                : StoreWorkload.overwrites(seed, STEPS);
    }

    private static Counts run(
            Subject subject, Path directory, Path trace, SystemCalls seen, boolean reliesOnSyncs, long seed)
            throws IOException {
        Directories.delete(directory);
        SyscallFault fault = SyscallFault.random(Seeds.random(seed), seen);
        Oracle oracle = new Oracle();
        AcknowledgedWrites writes = null;
        try {
            StoreProcess process = null;
            try {
                process = SubjectProcess.start(fault.command(trace, seen), subject, directory, ANSWER_SECONDS);
                writes = new AcknowledgedWrites(process);
                ObjectStore watched = oracle.watch(writes.observed());
                workload(subject, seed).run(watched);
                close(process, watched);
            } catch (StoreException refusedToOpen) {
                // the store may refuse to open under a fault
            } finally {
                if (process != null) {
                    process.kill();
                }
            }
            Optional<Instant> injected = firstInjection(trace);
            if (fault.isKill() ? !wasKilled(trace) : injected.isEmpty()) {
                return Counts.of("no fault struck at " + fault.call() + (fault.isKill() ? " signal" : ""), 1);
            }
            if (fault.isSync() && fault.forEver() && reliesOnSyncs && writes != null) {
                writes.invokedAfter(injected.get()).ifPresent(write -> {
                    throw new AssertionError("I5 fail-stop violated: " + write
                            + " was acknowledged, although every sync has failed since " + injected.get());
                });
            }
            checkRecovered(subject, directory, oracle);
        } catch (AssertionError | RuntimeException broken) {
            throw new AssertionError("fault " + fault + ": " + broken.getMessage(), broken);
        }
        return Counts.of(FAULTS, 1).and(fault.call() + " " + fault.way().replace('=', ' '), 1);
    }

    private static void close(StoreProcess process, ObjectStore watched) {
        try {
            if (process.isAlive()) {
                watched.close();
            }
        } catch (StoreException told) {
            // the oracle has recorded it
        }
    }

    /** Opens the store again without a fault and checks its states. */
    private static void checkRecovered(Subject subject, Path directory, Oracle oracle) {
        try (ObjectStore store = subject.open(directory)) {
            oracle.checkRecovered(store);
            StoreWorkload.overwrites(1, EPILOGUE_STEPS).run(oracle.watch(store));
        }
        try (ObjectStore store = subject.open(directory)) {
            oracle.checkRecovered(store);
        }
    }

    /** Whether the process was killed at a call that strace saw, and not by us. */
    private static boolean wasKilled(Path trace) throws IOException {
        return Files.exists(trace)
                && Files.readAllLines(trace).stream()
                        .anyMatch(line -> line.contains("= ?") || line.contains("killed by"));
    }

    private static Optional<Instant> firstInjection(Path trace) throws IOException {
        if (!Files.exists(trace)) {
            return Optional.empty();
        }
        return Files.readAllLines(trace).stream()
                .filter(line -> line.contains("(INJECTED)"))
                .map(line -> line.split(" +")[1])
                .map(seconds -> Instant.EPOCH.plusNanos(
                        new BigDecimal(seconds).movePointRight(9).longValue()))
                .findFirst();
    }
}
