package io.tallystick.store.journal.io;

import static java.util.stream.Collectors.joining;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The trial of the ways to the disk in a directory that belongs to the caller alone.
 *
 * <p>The engine names its ways in the order of its preference. The first one that works is taken, unless a later one is
 * clearly quicker. The ways take turns, and a round of each is compared with the round of the other beside it. So other
 * work on the machine slows both sides of a comparison.
 *
 * <p><b>Clearly quicker</b> means less than {@value #CLEARLY_QUICKER_SHARE} of the time, in
 * {@value #CLEARLY_QUICKER_ROUNDS} of {@value #ROUNDS} rounds. On the machine of docs/lab/stores.md the ways take the
 * same time within 4 %. In 500 comparisons of six rounds, on a busy machine, a way was below that share in at most two
 * rounds. So the answer there is always the same.
 */
final class IoTrial {
    private static final int ROUNDS = 6;
    private static final int WRITES_OF_A_ROUND = 9;
    private static final double CLEARLY_QUICKER_SHARE = 0.67;
    private static final int CLEARLY_QUICKER_ROUNDS = 5;

    private final Disk disk;
    private final Path directory;
    private final List<LogIo> working = new ArrayList<>();
    private final List<WriteTrial> trials = new ArrayList<>();
    private final Map<String, String> remarks = new LinkedHashMap<>();

    private IoTrial(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * The outcome of a trial.
     *
     * @param io the way to take
     * @param nanos the time of a write, nanoseconds; empty if there was no room to find out
     */
    record Outcome(LogIo io, Optional<Long> nanos) {}

    /**
     * Tries the ways.
     *
     * @param ways the way that is preferred first
     * @throws StoreIoException no way works
     */
    static Outcome of(List<String> ways, Disk disk, Path directory, NanoClock clock) throws IOException {
        IoTrial trial = new IoTrial(disk, directory);
        boolean isMeasured;
        try {
            isMeasured = trial.enterAll(ways) && trial.measure(clock);
        } finally {
            trial.close();
        }
        if (trial.working.isEmpty()) {
            throw new StoreIoException(
                    "no way to write durably works in directory=" + directory + " (" + trial.reasons() + ")", null);
        }
        return isMeasured ? trial.clearlyQuickest() : trial.withoutRoom();
    }

    /** Makes the file of each way. Returns false if there is no room for them. */
    private boolean enterAll(List<String> ways) throws IOException {
        boolean hasRoom = true;
        for (String name : ways) {
            Optional<String> onlyByName = IoChoice.onlyByName(name);
            if (onlyByName.isPresent()) {
                remarks.put(name, onlyByName.get());
            } else {
                hasRoom &= enter(name);
            }
        }
        return hasRoom;
    }

    private boolean enter(String name) throws IOException {
        Optional<LogIo> io = Optional.empty();
        try {
            LogIo.Attempt found = LogIo.find(name, disk, directory);
            io = found.io();
            remarks.put(name, found.reason());
            if (io.isPresent()) {
                trials.add(new WriteTrial(io.get(), directory));
                working.add(io.get());
            }
            return true;
        } catch (IOException | UnsupportedOperationException refused) {
            if (refused instanceof IOException error && LogIo.isRoomMissing(disk, directory, error)) {
                io.ifPresent(working::add);
                return false;
            }
            remarks.put(name, LogIo.trialFailed(refused));
            return true;
        }
    }

    /** Measures the ways in turns. Returns false if there is no room for that. */
    private boolean measure(NanoClock clock) throws IOException {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                for (WriteTrial trial : trials) {
                    trial.round(clock, WRITES_OF_A_ROUND);
                }
            }
            return true;
        } catch (IOException refused) {
            if (LogIo.isRoomMissing(disk, directory, refused)) {
                return false;
            }
            throw refused;
        }
    }

    private void close() throws IOException {
        for (WriteTrial trial : trials) {
            trial.close();
        }
    }

    private Outcome clearlyQuickest() {
        WriteTrial best = trials.get(0);
        for (WriteTrial trial : trials) {
            remarks.put(trial.io().name(), trial.bestNanos() / 1000 + " us a write");
            if (trial.roundsBelow(CLEARLY_QUICKER_SHARE, best) >= CLEARLY_QUICKER_ROUNDS) {
                best = trial;
            }
        }
        return new Outcome(described(best.io()), Optional.of(best.bestNanos()));
    }

    /**
     * A log that is there must be opened on a full disk too, so that transactions can finish. Whether the disk can be
     * written past the page cache is not known then, so the way through the page cache is taken if the engine has it.
     */
    private Outcome withoutRoom() {
        working.forEach(io -> remarks.put(io.name(), "no room to try it"));
        LogIo taken = working.stream()
                .filter(io -> io.name().equals(LogIo.CHANNEL))
                .findFirst()
                .orElseGet(() -> working.get(0));
        return new Outcome(described(taken), Optional.empty());
    }

    private LogIo described(LogIo io) {
        return io.with(new LogIo.Trial(remarks.get(io.name()), reasons()));
    }

    private String reasons() {
        return remarks.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(joining("; "));
    }
}
