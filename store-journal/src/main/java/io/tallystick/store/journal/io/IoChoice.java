package io.tallystick.store.journal.io;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.spi.FailureLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The choice of the way to the disk at an opening, in a directory that the store owns.
 *
 * <p>A way that was asked for by name is taken, or the opening is refused. {@link LogIo#AUTO} takes the way that is
 * {@linkplain RememberedIo remembered}, without a trial write. It makes a {@linkplain IoTrial trial} where none is
 * remembered, where the {@linkplain TrialConditions conditions} differ, or where the memory cannot be read. It then
 * remembers the outcome. A memory that cannot be read or written is logged, and never keeps the store from opening.
 *
 * <p>A remembered way may fail: at once, or when the engine opens its files. Then the store takes another way for this
 * opening and forgets the memory, so that the next opening makes a trial.
 */
public final class IoChoice {
    private static final System.Logger LOG = System.getLogger(IoChoice.class.getName());

    private static final String UNFINISHED = StoreDirectory.IO_FILE + ".tmp";

    private final List<String> supported;
    private final Disk disk;
    private final Path directory;
    private final NanoClock clock;
    private boolean isRemembered;
    private LogIo io;

    private IoChoice(List<String> supported, Disk disk, Path directory, NanoClock clock) {
        this.supported = supported;
        this.disk = disk;
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Chooses.
     *
     * @param wanted a value of {@code tallystick.journal.io} that {@link LogIo#checkKnown} has passed
     * @param supported the ways of the engine, the preferred one first
     * @throws StoreIoException the way that was asked for by name does not work, or none does, with the reasons
     */
    public static IoChoice make(String wanted, List<String> supported, Disk disk, Path directory, NanoClock clock)
            throws IOException {
        deleteLeftovers(disk, directory);
        IoChoice choice = new IoChoice(supported, disk, directory, clock);
        choice.io = wanted.equals(LogIo.AUTO) ? choice.remembered() : choice.named(wanted);
        return choice;
    }

    /** The chosen way. */
    public LogIo io() {
        return io;
    }

    /**
     * Another way, for the same opening, after the engine could not open its files. Empty if the remembered way is not
     * to blame: nothing was remembered, or a trial write works.
     *
     * @param failed the failure of the engine
     * @throws StoreIoException no other way works
     */
    public Optional<LogIo> insteadAfter(Exception failed) throws IOException {
        if (!isRemembered) {
            return Optional.empty();
        }
        LogIo.Attempt again = LogIo.tried(io.name(), disk, directory);
        return again.io().isPresent()
                ? Optional.empty()
                : Optional.of(insteadOf(io.name(), again.reason() + " after " + failed));
    }

    /** Deletes what a process has left that died while opening. The directory is ours by now. */
    private static void deleteLeftovers(Disk disk, Path directory) throws IOException {
        for (Path file : disk.list(directory)) {
            String name = file.getFileName().toString();
            if (name.startsWith(DiskDevice.PROBE_PREFIX) || name.equals(UNFINISHED)) {
                disk.delete(file);
            }
        }
    }

    private LogIo named(String wanted) {
        LogIo.Attempt attempt = LogIo.tried(wanted, disk, directory);
        return attempt.io()
                .orElseThrow(() -> new StoreIoException(
                        "tallystick.journal.io=" + wanted + " does not work in directory=" + directory + ": "
                                + attempt.reason() + "; mend that, or configure tallystick.journal.io=auto",
                        null));
    }

    private LogIo remembered() throws IOException {
        Optional<TrialConditions> now = conditions();
        Optional<RememberedIo> known = known();
        if (now.isEmpty() || known.isEmpty()) {
            return tried(now, "");
        }
        Optional<String> difference = now.get().differenceFrom(known.get().conditions());
        if (difference.isPresent()) {
            return tried(now, "tried again because " + difference.get() + "; ");
        }
        Optional<String> onlyByName = onlyByName(known.get().name());
        if (onlyByName.isPresent()) {
            return tried(now, "tried again because " + onlyByName.get() + "; ");
        }
        return taken(known.get());
    }

    /** The reason why only its name may choose the way; another library on the class path may change the answer. */
    static Optional<String> onlyByName(String name) {
        return LogIo.needsDevice(name)
                ? DiskDevice.named(name).flatMap(DiskDevice::onlyByNameBecause)
                : Optional.empty();
    }

    /** The conditions now; empty if the system does not tell. Then nothing is remembered. */
    private Optional<TrialConditions> conditions() {
        try {
            return Optional.of(TrialConditions.in(directory, disk, supported));
        } catch (IOException notTold) {
            return Optional.empty();
        }
    }

    private Optional<RememberedIo> known() {
        try {
            return RememberedIo.in(directory, disk).filter(known -> supported.contains(known.name()));
        } catch (IOException unreadable) {
            warn("TALLY0304 file=" + RememberedIo.file(directory) + " cannot be used, so the ways to the disk are tried"
                    + " again: " + unreadable.getMessage());
            return Optional.empty();
        }
    }

    private LogIo taken(RememberedIo known) throws IOException {
        try {
            LogIo found = LogIo.unproven(known.name(), disk, directory);
            isRemembered = true;
            return found.with(new LogIo.Trial(
                    known.micros() + " us a write in its trial",
                    known.name() + ": remembered in " + StoreDirectory.IO_FILE + ", " + known.micros()
                            + " us a write in its trial"));
        } catch (IOException | UnsupportedOperationException failed) {
            return insteadOf(known.name(), failed.toString());
        }
    }

    private LogIo tried(Optional<TrialConditions> now, String why) throws IOException {
        IoTrial.Outcome outcome = IoTrial.of(supported, disk, directory, clock);
        if (now.isPresent() && outcome.nanos().isPresent()) {
            remember(new RememberedIo(outcome.io().name(), outcome.nanos().get() / 1000, now.get()));
        }
        LogIo.Trial trial = outcome.io().trial();
        return outcome.io().with(new LogIo.Trial(trial.remark(), why + trial.details()));
    }

    private void remember(RememberedIo chosen) {
        try {
            chosen.writeTo(directory, disk);
        } catch (IOException refused) {
            warn("TALLY0304 file=" + RememberedIo.file(directory) + " cannot be written, so the next opening tries the"
                    + " ways to the disk again: " + refused);
        }
    }

    private LogIo insteadOf(String name, String reason) throws IOException {
        isRemembered = false;
        String after = "the next opening tries all ways again";
        try {
            RememberedIo.forget(directory, disk);
        } catch (IOException refused) {
            after = "file=" + RememberedIo.file(directory) + " cannot be deleted (" + refused + "); delete it";
        }
        List<String> others =
                supported.stream().filter(other -> !other.equals(name)).toList();
        IoTrial.Outcome outcome = IoTrial.of(others, disk, directory, clock);
        warn("TALLY0303 directory=" + directory + ": the remembered way to the disk, " + name + ", fails: " + reason
                + "; the store uses " + outcome.io().name() + " until it is closed, and " + after);
        return outcome.io();
    }

    /** A logger runs code of the user, which may throw or block, and the opening goes on. */
    private static void warn(String message) {
        FailureLog.tell(LOG, System.Logger.Level.WARNING, message, null);
    }
}
