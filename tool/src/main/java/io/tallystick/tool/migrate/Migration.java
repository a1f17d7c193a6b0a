package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.SourceState;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.StateImages;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Makes a store with the states of a source.
 *
 * <p>The source is read twice. The first time its states are written into a new store, {@link MigrationTarget out of
 * reach}. The second time each state is compared, byte by byte, with the state that was read back from the new store.
 * So three faults are found before the store is published: a disk that lost data, a defect of a store, and a
 * transaction manager that is still writing.
 */
final class Migration {
    private final LogSource source;
    private final MigrationTarget target;
    private final Listener listener;
    private final Supplier<String> remedy;

    /** The progress of a migration. */
    interface Listener {
        /** Called after each state that was read. */
        void at(Step step, int states);
    }

    /** The parts of the work. */
    enum Step {
        /** The first reading. */
        COPYING("copying"),
        /** The second reading. */
        COMPARING("comparing");

        private final String text;

        Step(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** The outcome of a migration. */
    enum Outcome {
        /** The target is the store now. */
        MIGRATED,
        /** The target holds these states already; nothing was changed. */
        ALREADY_THERE,
        /** The source was read, and nothing was changed. */
        ONLY_READ
    }

    /**
     * The result of a migration.
     *
     * @param outcome of the migration
     * @param target the place of the store
     * @param tally of the source and the target
     * @param hadLeftovers whether an earlier run was cut off
     */
    record Result(Outcome outcome, String target, Tally tally, boolean hadLeftovers) {}

    /** @param target the place of the new store; the caller closes it */
    Migration(LogSource source, MigrationTarget target, Listener listener) {
        this(source, target, listener, target::remedy);
    }

    /** @param remedy what to do if the place has a store with other data; asked after the second reading */
    Migration(LogSource source, MigrationTarget target, Listener listener, Supplier<String> remedy) {
        this.remedy = remedy;
        this.source = source;
        this.target = target;
        this.listener = listener;
    }

    /**
     * Reads the source and checks the target; changes nothing.
     *
     * @throws ToolException the migration would be refused
     */
    Result dryRun(Findings findings) throws IOException {
        Tally tally = new Tally();
        source.read(state -> count(state, tally, Step.COPYING), findings);
        if (!target.isPublished() || givesWayTo(tally)) {
            return new Result(Outcome.ONLY_READ, target.name(), tally, target.isUnfinished());
        }
        compare(target.published(), tally, false, findings);
        return new Result(Outcome.ALREADY_THERE, target.name(), tally, target.isUnfinished());
    }

    /**
     * Makes the store.
     *
     * @param leaveOutDamaged whether states that the source cannot hand over are left out, rather than refused
     * @throws ToolException the target holds other data, something is in use, the source is damaged, or the target
     *     lost a state
     */
    Result run(Findings findings, boolean leaveOutDamaged) throws IOException {
        boolean hadLeftovers = target.isUnfinished();
        if (isSettled(findings)) {
            return confirm(findings, leaveOutDamaged, hadLeftovers);
        }
        target.take();
        if (isSettled(findings)) { // by another run, which had the lock before
            target.close();
            return confirm(findings, leaveOutDamaged, hadLeftovers);
        }
        boolean isMade = false;
        try {
            Tally tally = make(findings, leaveOutDamaged);
            isMade = true;
            return new Result(Outcome.MIGRATED, target.name(), tally, hadLeftovers);
        } finally {
            if (!isMade) {
                target.abandon();
            }
        }
    }

    /** Whether the place has a store that stays. */
    private boolean isSettled(Findings findings) throws IOException {
        if (!target.isPublished()) {
            return false;
        }
        if (!target.isReplaceable()) {
            return true;
        }
        Tally tally = new Tally();
        source.read(state -> count(state, tally, Step.COPYING), findings);
        return !givesWayTo(tally);
    }

    // A store with nothing in it is what an empty source would make.
    private boolean givesWayTo(Tally tally) {
        return tally.states() > 0 && target.isReplaceable();
    }

    private Tally make(Findings findings, boolean leaveOutDamaged) throws IOException {
        Tally tally = new Tally();
        try (ObjectStore store = target.create()) {
            source.read(
                    state -> {
                        count(state, tally, Step.COPYING);
                        write(store, state.key(), state.image());
                    },
                    findings);
            checkDamage(findings, leaveOutDamaged);
            store.force();
        }
        compare(target.created(), tally, true, findings);
        checkDamage(findings, leaveOutDamaged);
        target.publish();
        return tally;
    }

    private Result confirm(Findings findings, boolean leaveOutDamaged, boolean hadLeftovers) throws IOException {
        Tally tally = new Tally();
        source.read(state -> count(state, tally, Step.COPYING), findings);
        checkDamage(findings, leaveOutDamaged);
        compare(target.published(), tally, false, findings);
        if (hadLeftovers) {
            target.take();
            target.sweep();
        }
        return new Result(Outcome.ALREADY_THERE, target.name(), tally, hadLeftovers);
    }

    private void count(SourceState state, Tally tally, Step step) {
        if (!tally.add(state.key(), state.image())) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    state.place() + ": a second state for the key "
                            + state.key().toPrintable()
                            + "; the tool cannot know which one is valid, so move one of them out of the store");
        }
        listener.at(step, tally.states());
    }

    private static void write(ObjectStore store, StateKey key, StateImage image) {
        if (image.committed() != null) {
            store.write(key, image.committed(), Durability.DEFERRED);
        }
        if (image.shadow() != null) {
            store.writeShadow(key, image.shadow(), Durability.DEFERRED);
        }
        if (image.isHidden()) {
            store.hide(key);
        }
    }

    /** Reads the source again and compares it with the first reading and with the target. */
    private void compare(Map<StateKey, Supplier<StateImage>> kept, Tally first, boolean isNew, Findings findings)
            throws IOException {
        Tally second = new Tally();
        List<String> differences = new ArrayList<>();
        source.read(
                state -> {
                    count(state, second, Step.COMPARING);
                    Supplier<StateImage> image = kept.get(state.key());
                    if (image == null) {
                        differences.add(state.key().toPrintable() + " is missing");
                    } else if (!StateImages.same(state.image(), image.get())) {
                        differences.add(state.key().toPrintable() + " is different");
                    }
                },
                findings);
        if (!second.checksum().equals(first.checksum())) {
            throw new ToolException(
                    ExitStatus.IN_USE,
                    source.description()
                            + " was changed while it was read; stop the transaction manager that uses it and"
                            + " run this again");
        }
        for (StateKey key : kept.keySet()) {
            if (!second.has(key)) {
                differences.add(key.toPrintable() + " is not in the source");
            }
        }
        if (!differences.isEmpty()) {
            throw different(isNew, differences);
        }
    }

    private ToolException different(boolean isNew, List<String> differences) {
        String what = Escaped.count(differences.size(), "state")
                + (differences.size() == 1 ? " differs: " : " differ, the first: ")
                + differences.get(0);
        return isNew
                ? new ToolException(
                        ExitStatus.FAILED,
                        target.place() + " did not keep the states that were written (" + what
                                + "); the target was not made. Check its disk, and run this again")
                : new ToolException(
                        ExitStatus.REFUSED,
                        target.place() + " holds a store with other data than the source (" + what + "); "
                                + remedy.get());
    }

    private static void checkDamage(Findings findings, boolean leaveOutDamaged) {
        List<Findings.Finding> damages = findings.damages();
        if (!damages.isEmpty() && !leaveOutDamaged) {
            Findings.Finding first = damages.get(0);
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    Escaped.count(damages.size(), "place") + " in the source cannot be migrated, the first: "
                            + first.place() + ": "
                            + first.text()
                            + ". Repair them, or leave them out with --leave-out-damaged; --dry-run lists them");
        }
    }
}
