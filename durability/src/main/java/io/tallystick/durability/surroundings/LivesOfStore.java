package io.tallystick.durability.surroundings;

import io.tallystick.durability.Counts;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.surroundings.LifePlan.End;
import io.tallystick.durability.surroundings.LifePlan.Mistake;
import io.tallystick.durability.surroundings.Surroundings.Owner;
import io.tallystick.durability.surroundings.Surroundings.Room;
import io.tallystick.durability.system.Ballast;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One case: a directory, the lives that a store has in it, and the oracle that follows them. Between two lives nobody
 * opens the store, so that each process finds exactly what the last one left.
 */
final class LivesOfStore {
    static final String LIVES = "lives";

    // Short ones more often, because the table counts lives and not cases.
    private static final List<Integer> LIVES_OF_CASES =
            List.of(1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8);
    private static final int CASES_ON_A_FULL_DISK = 2; // one of so many on the small file system
    private static final int LIVES_ON_A_FULL_DISK = 12;
    // With small files, long enough to turn all of them over.
    private static final int FULL_LOAD_MILLIS = 400;
    private static final int MOST_DEATHS_IN_A_ROW = 8;
    private static final int MOST_SKIPPED_CHANGES = 4;
    private static final int PATIENCE_SECONDS = 60;
    private static final String DIRECTORY = "store";
    private static final String IDENTITY_FILE = "tallystick.store"; // of docs/format/directory-v1.md

    private final ConfiguredSubject subject;
    private final Machine machine;
    private final LifeCommand commands;
    private final Path parent;
    private final Path directory;
    private final Optional<Ballast> ballast;
    private final Random random;
    private final Oracle oracle = new Oracle();
    private final List<String> told = new ArrayList<>();
    private Counts counts = Counts.of(LIVES, 0);

    // The options with which the store was open last, or will be judged if it never was.
    private LifeOptions accepted;
    // The options with which a process may have changed files last.
    private LifeOptions tried;
    // Files of two shapes may be there; then a journal without room may refuse removals.
    private boolean isShapeChanged;
    private boolean hasStore;
    // An opening has succeeded, so nothing of the store is left to be made.
    private boolean wasOpen;
    private boolean isBound;
    private boolean mustOpen;
    // The life before which the disk is filled and from which on it stays full; none if this is high.
    private int firstFullLife = Integer.MAX_VALUE;
    // The change at which the last opening on the full disk was to die; 0 if it was not.
    private int lastDeathAt;
    private Owner lastOwner = Owner.SAME;

    /**
     * @param parent the directory that gets the directory of the store
     * @param ballast fills the small file system that has the directory; empty if it lies elsewhere
     */
    LivesOfStore(
            ConfiguredSubject subject,
            Machine machine,
            LifeCommand commands,
            Path parent,
            Optional<Ballast> ballast,
            Random random) {
        this.subject = subject;
        this.machine = machine;
        this.commands = commands;
        this.parent = parent;
        this.directory = parent.resolve(DIRECTORY);
        this.ballast = ballast;
        this.random = random;
    }

    Counts run() throws IOException, InterruptedException {
        int lives = LIVES_OF_CASES.get(random.nextInt(LIVES_OF_CASES.size()));
        if (ballast.isPresent() && random.nextInt(CASES_ON_A_FULL_DISK) == 0) {
            lives = LIVES_ON_A_FULL_DISK;
            firstFullLife = 1 + random.nextInt(2);
        }
        LifeOptions first = LifeOptions.first(subject.name(), random).expecting(false);
        accepted = willBeFull() ? first.withSmallFiles() : first;
        tried = accepted;
        try {
            for (int i = 0; i < lives; i++) {
                LifePlan plan = next(i);
                told.add("life " + (i + 1) + " of " + lives + ": " + plan);
                live(plan, i, lives);
            }
            judge();
        } catch (AssertionError | RuntimeException broken) {
            throw new AssertionError(broken.getMessage() + "\n" + String.join("\n", told), broken);
        }
        return counts;
    }

    /** The plan of the next life. After a refusal it is one that must open. */
    private LifePlan next(int life) {
        boolean staysFull = life >= firstFullLife;
        LifeOptions options = life == 0 || random.nextInt(8) == 0
                ? accepted
                : mustOpen || willBeFull() ? accepted.changedButForShape(random) : accepted.changed(random);
        LifePlan drawn = LifePlan.draw(options, random);
        Surroundings around = drawn.surroundings().on(machine, ballast.isPresent());
        if (staysFull) {
            LifePlan full = dyingOften(drawn.onFullDisk(FULL_LOAD_MILLIS));
            return full.with(around.onFullVolume(), options.expecting(hasStore && options.isExpected()), Mistake.NONE);
        }
        boolean expectsTooMuch = random.nextInt(5) == 0;
        if (mustOpen) {
            return drawn.with(
                    around.withoutLimits(), options.expecting(hasStore && options.isExpected()), Mistake.NONE);
        }
        if (!hasStore) {
            return expectsTooMuch
                    ? drawn.with(around, options.expecting(true), Mistake.NO_STORE)
                    : drawn.with(around, options.expecting(false), Mistake.NONE);
        }
        return mistaken(drawn.in(around));
    }

    /** One opening after the other dies one change further on, so that each step of one that makes room is cut off. */
    private LifePlan dyingOften(LifePlan plan) {
        if (random.nextInt(MOST_DEATHS_IN_A_ROW) == 0 || lastDeathAt == 0 && random.nextBoolean()) {
            lastDeathAt = 0;
            return plan;
        }
        if (random.nextInt(4) == 0) {
            return plan.dyingAtOpening(random);
        }
        lastDeathAt += lastDeathAt == 0 ? 1 + random.nextInt(MOST_SKIPPED_CHANGES) : 1;
        return plan.dyingAtChange(lastDeathAt);
    }

    private boolean willBeFull() {
        return firstFullLife != Integer.MAX_VALUE;
    }

    private LifePlan mistaken(LifePlan plan) {
        LifeOptions options = plan.options();
        Mistake mistake = plan.mistake();
        if (mistake == Mistake.OTHER_NODE && !isBound
                || mistake == Mistake.OTHER_ENGINE && !options.isJournal()
                || mistake == Mistake.LARGE_STATE && !options.isJournal()) {
            mistake = Mistake.OTHER_STORE;
        }
        return plan.with(plan.surroundings(), mistake.in(options), mistake);
    }

    private void live(LifePlan plan, int life, int lives) throws IOException, InterruptedException {
        count(plan, lives);
        handOver(plan.surroundings().owner());
        leaveRoom(plan, life);
        putEarlierNames();
        long filesBefore = hasStore ? DirectoryImage.of(directory).count() : 0;
        mustOpen = false;
        LifeOptions before = tried;
        if (plan.mistake() != Mistake.NONE) {
            refuse(plan);
            return;
        }
        tried = plan.options();
        isShapeChanged |= hasStore && tried.mayNotFit(before);
        if (plan.end() == End.KILLED_OPENING && !plan.isHaltedOpening()) {
            killOpening(plan);
        } else {
            open(plan, before);
        }
        hasStore |= Files.exists(directory.resolve(IDENTITY_FILE));
        isBound |= Files.exists(directory.resolve(StoreDirectory.NODE_FILE));
        if (hasStore && Files.exists(directory) && DirectoryImage.of(directory).count() > filesBefore) {
            counts = counts.and("lives that made files", 1);
        }
    }

    private void count(LifePlan plan, int lives) {
        counts = counts.and(LIVES, 1);
        // A mistake is no value of an option.
        Map<String, String> labels =
                plan.mistake() == Mistake.NONE ? plan.options().labels() : new TreeMap<>();
        labels.put("store", subject.name());
        labels.putAll(plan.labelsOfWorld());
        labels.put("lives", String.valueOf(lives));
        labels.put(
                "data",
                !hasStore ? "none" : plan.options().equals(accepted) ? "of-the-same-options" : "of-other-options");
        labels.forEach((dimension, label) -> counts = counts.and(dimension + "=" + label, 1));
    }

    /** Gives the directory to the user of the next process, as an operator does. */
    private void handOver(Owner owner) throws IOException {
        if (!machine.canChangeUser() || owner == Owner.SAME && lastOwner == Owner.SAME) {
            return;
        }
        lastOwner = owner;
        try (Stream<Path> paths = Files.walk(parent)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                owner.take(path);
            }
        }
    }

    private void leaveRoom(LifePlan plan, int life) throws IOException {
        if (ballast.isPresent() && life <= firstFullLife) {
            if (plan.surroundings().room() == Room.VOLUME) {
                ballast.get().leave(plan.roomKib());
            } else {
                ballast.get().leaveAll();
            }
        }
    }

    /** As a build before 0.1 would have named the newest files of a journal, in this life and not in earlier ones. */
    private void putEarlierNames() throws IOException, InterruptedException {
        if (accepted.isSegmented() && hasStore && random.nextInt(6) == 0) {
            counts = counts.and("lives after an earlier release", EarlierNames.put(directory, random) > 0 ? 1 : 0);
        }
    }

    /** The opening must be refused in words, and must change nothing. */
    private void refuse(LifePlan plan) throws IOException {
        DirectoryImage before = image();
        RuntimeException refusal = refusalOf(plan);
        checkSaid(plan, refusal);
        checkUnchanged(before, plan.mistake().label());
        counts = counts.and("refused because=" + plan.mistake().label(), 1);
        mustOpen = true;
    }

    private RuntimeException refusalOf(LifePlan plan) throws IOException {
        StoreProcess opened;
        try {
            opened = StoreProcess.of(command(plan).start(), PATIENCE_SECONDS);
        } catch (StoreException | IllegalArgumentException | IllegalStateException refused) {
            return refused;
        }
        opened.kill();
        throw new AssertionError(
                "the store opened in spite of " + plan.mistake().label());
    }

    private void checkSaid(LifePlan plan, RuntimeException refusal) {
        if (plan.surroundings().isScarce() || plan.surroundings().mayBeFull() || plan.isHaltedOpening()) {
            return; // another reason may come first
        }
        String words = String.valueOf(refusal.getMessage());
        if (refusal instanceof CorruptStoreException
                || refusal instanceof IllegalStateException
                || words.length() < 20
                || words.contains("the process ended")) {
            throw new AssertionError(plan.mistake().label() + " was refused without words: " + refusal, refusal);
        }
    }

    private DirectoryImage image() throws IOException {
        return DirectoryImage.of(directory);
    }

    private void checkUnchanged(DirectoryImage before, String reason) throws IOException {
        Optional<String> difference = before.differenceTo(image());
        if (difference.isPresent()) {
            throw new AssertionError(
                    "a refused opening (" + reason + ") has changed the directory: " + difference.get());
        }
    }

    private ProcessBuilder command(LifePlan plan) throws IOException {
        return commands.of(plan, parent, DIRECTORY);
    }

    private void killOpening(LifePlan plan) throws IOException, InterruptedException {
        Process doomed = command(plan).start();
        doomed.waitFor(plan.delayMillis(), TimeUnit.MILLISECONDS);
        doomed.destroyForcibly();
        doomed.waitFor();
    }

    private void open(LifePlan plan, LifeOptions before) throws IOException, InterruptedException {
        DirectoryImage image = image();
        StoreProcess process;
        try {
            process = StoreProcess.of(command(plan).start(), PATIENCE_SECONDS);
        } catch (StoreException | IllegalArgumentException | IllegalStateException refused) {
            checkMayRefuse(plan, before, image, refused);
            return;
        }
        try {
            accepted = plan.options();
            wasOpen = true;
            lastDeathAt = 0;
            inhabit(plan, process);
        } finally {
            end(process);
        }
    }

    private static void end(StoreProcess process) {
        process.process().destroyForcibly();
        process.awaitEnd();
    }

    /** Checks that there was a reason to refuse the opening. */
    private void checkMayRefuse(LifePlan plan, LifeOptions before, DirectoryImage image, RuntimeException refused)
            throws IOException {
        String words = String.valueOf(refused.getMessage());
        boolean hasDied = words.contains("the process ended");
        if (plan.isHaltedOpening() && hasDied) {
            counts = counts.and("openings halted", 1);
            return;
        }
        mustOpen = true;
        Surroundings around = plan.surroundings();
        String reason;
        if (refused instanceof CorruptStoreException) {
            throw new AssertionError("I1 durable violated: a sound store says that it is damaged: " + refused, refused);
        } else if (around.mayBeFull()
                && (refused instanceof StoreFullException || words.contains("No space left on device"))) {
            checkIsNew(plan, refused);
            reason = "no-room";
        } else if (around.isScarce()) {
            reason = "no-memory-or-descriptors";
        } else if (around.mayLackAccess()) {
            reason = "no-access";
        } else if (isAboutShape(refused) && plan.options().mayNotFit(before)) {
            checkUnchanged(image, "options");
            reason = "options-do-not-fit-the-files";
        } else {
            throw new AssertionError("I1 durable violated: the store does not open: " + refused, refused);
        }
        counts = counts.and("refused because=" + reason, 1);
    }

    /** A store that is there opens on a full disk, unless it must make files of another shape or write its node. */
    private void checkIsNew(LifePlan plan, RuntimeException refused) {
        boolean bindsNode = !isBound && !plan.options().node().isEmpty();
        if (wasOpen && !bindsNode && !isShapeChanged && plan.options().alwaysRemoves()) {
            throw new AssertionError("I13 space violated: a store does not open on a full disk: " + refused, refused);
        }
    }

    private static boolean isAboutShape(RuntimeException refused) {
        String words = String.valueOf(refused.getMessage());
        return words.contains(StoreOption.JOURNAL_SEGMENT_SIZE.key())
                || words.contains(StoreOption.JOURNAL_BLOCK_SIZE.key())
                || words.contains(StoreOption.MAX_STATE_SIZE.key());
    }

    private void inhabit(LifePlan plan, StoreProcess process) throws InterruptedException {
        ObjectStore watched = oracle.watch(process);
        if (!isRecovered(plan, process, watched)) {
            return;
        }
        LifeLoad load =
                LifeLoad.begin(watched, plan, isShapeChanged || !plan.options().alwaysRemoves());
        load.work();
        if (plan.end() == End.KILLED_LOADED || plan.end() == End.KILLED_GROWING) {
            load.disasterBegins();
            process.kill();
            load.awaitEnd();
        } else {
            load.stop();
            load.awaitEnd();
            if (plan.end() == End.CLOSED) {
                close(plan, watched);
            } else {
                TimeUnit.MILLISECONDS.sleep(plan.delayMillis());
                process.kill();
            }
        }
        counts = counts.and("acknowledged", load.acknowledged()).and("refused writes", load.refused());
    }

    private boolean isRecovered(LifePlan plan, StoreProcess process, ObjectStore watched) {
        try {
            oracle.checkRecovered(process);
            oracle.revealAll(watched);
            return true;
        } catch (StoreException | IllegalStateException failed) {
            if (plan.surroundings().isScarce() || plan.isHaltedGrowing() || isFull(plan, failed)) {
                return false;
            }
            throw new AssertionError("the store failed without cause: " + failed, failed);
        }
    }

    private static boolean isFull(LifePlan plan, RuntimeException failed) {
        return plan.surroundings().mayBeFull() && failed instanceof StoreFullException;
    }

    private static void close(LifePlan plan, ObjectStore watched) {
        try {
            watched.close();
        } catch (StoreException | IllegalStateException failed) {
            if (!plan.surroundings().isScarce()) {
                throw new AssertionError("the store failed without cause when it was closed: " + failed, failed);
            }
        }
    }

    /** Opens the store here, with the options of its last opening, and checks its states. */
    private void judge() throws IOException {
        if (ballast.isPresent()) {
            ballast.get().leaveAll();
        }
        StoreConfiguration.Builder builder = subject.configuration(directory).toBuilder();
        accepted.expecting(false)
                .withNode(isBound ? LifeOptions.NODE : "")
                .properties()
                .forEach(builder::set);
        try (ObjectStore store = subject.open(new SystemDisk(), builder.build())) {
            oracle.checkRecovered(store);
            oracle.revealAll(oracle.watch(store));
        } catch (StoreException | IllegalArgumentException refused) {
            throw new AssertionError("I1 durable violated: the store does not open for the judge: " + refused, refused);
        }
    }
}
