package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LoopVolume;
import io.tallystick.durability.system.LoopVolume.Kind;
import io.tallystick.durability.system.Signals;
import io.tallystick.storage.Disk;
import io.tallystick.storage.LossMark;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Takes the directory, or a file in it, away from a store under load: another process removes it, moves it, puts
 * something in its place or mounts something over it. The store must end. Where what was taken can be brought back, the
 * next process must find all that was acknowledged.
 */
public final class PlaceStage implements Stage {
    private static final String LOSSES = "losses";
    /** A look a second, and time for a slow machine. */
    private static final int PATIENCE_SECONDS = 20;

    /** What a store says whose watch has found the loss. */
    private static final String NOTICED = "the place of the store is lost";

    private static final int RESTARTS = 3;
    private static final int MIN_LOAD_MILLIS = 1_200;
    private static final int MORE_LOAD_MILLIS = 600;
    private static final int PAUSE_MILLIS = 5;
    private static final long CUT_BYTES = 100;
    private static final int MOST_TRIES = 100;
    private static final StateKey KEY = StateKey.of("/Place", ObjectId.of(new byte[] {1}));

    /** What is taken away. */
    private enum Loss {
        DIRECTORY_REMOVED(false),
        DIRECTORY_MOVED(true),
        DIRECTORY_REPLACED(true),
        DIRECTORY_COVERED(true),
        VOLUME_UNMOUNTED(true),
        LOCK_REMOVED(true),
        LOCK_REMOVED_WHILE_STOPPED(true),
        LOCK_REPLACED(true),
        IDENTITY_REMOVED(true),
        IDENTITY_OVERWRITTEN(true),
        OWNER_REPLACED(true),
        SWITCHED_TO_READ_ONLY(true),
        FILE_REMOVED(false),
        FILE_CUT(false);

        private final boolean canBeUndone;

        Loss(boolean canBeUndone) {
            this.canBeUndone = canBeUndone;
        }

        private boolean needsMount() {
            return this == DIRECTORY_COVERED || needsVolume();
        }

        private boolean needsVolume() {
            return this == VOLUME_UNMOUNTED || this == SWITCHED_TO_READ_ONLY;
        }

        /** Whether the directory has the store and nothing that keeps another process out. */
        private boolean leavesNoLock() {
            return this == LOCK_REMOVED || this == LOCK_REMOVED_WHILE_STOPPED || this == LOCK_REPLACED;
        }

        /** Whether the lock file keeps its name, in a directory that has the store. */
        private boolean leavesLock() {
            return switch (this) {
                case DIRECTORY_MOVED,
                        DIRECTORY_REPLACED,
                        IDENTITY_REMOVED,
                        IDENTITY_OVERWRITTEN,
                        OWNER_REPLACED,
                        SWITCHED_TO_READ_ONLY,
                        FILE_REMOVED,
                        FILE_CUT -> true;
                default -> false;
            };
        }
    }

    /** What is done to a file. */
    private interface Taking {
        void take(Path file) throws IOException;
    }

    private static boolean isOfRecords(Path path) {
        String name = path.getFileName().toString();
        return name.endsWith(".seg") || name.endsWith(".jnl") || name.endsWith(".state");
    }

    @Override
    public String name() {
        return "place";
    }

    @Override
    public String description() {
        return "the directory or a file of a store under load is removed, moved, replaced, covered, unmounted, or"
                + " switched to read-only";
    }

    @Override
    public String unit() {
        return LOSSES;
    }

    @Override
    public long quickCount() {
        return 26;
    }

    @Override
    public long fullCount() {
        return 1_300;
    }

    @Override
    public List<String> limitations() {
        return LoopVolume.unavailableBecause(Kind.EXT4)
                .map(because -> "nothing is mounted or unmounted: " + because)
                .stream()
                .toList();
    }

    @Override
    public List<Subject> subjects() {
        return SubjectCatalog.named(
                List.of("file", "journal-segmented-channel", "journal-segmented-direct", "journal-artemis-channel"));
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) && subject.is(Trait.ANY_DISK) && subject instanceof ConfiguredSubject
                ? Optional.empty()
                : Optional.of("it is no store of ours in a directory");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Losses(subject, new StoreLaunch(subject, scratch), scratch);
    }

    /** Cases on one store. */
    private static final class Losses implements Session {
        private final Subject subject;
        private final StoreLaunch launch;
        private final Path scratch;
        private final boolean canMount =
                LoopVolume.unavailableBecause(Kind.EXT4).isEmpty();
        private final int offset;

        Losses(Subject subject, StoreLaunch launch, Path scratch) {
            this.subject = subject;
            this.launch = launch;
            this.scratch = scratch;
            this.offset = subject.name().hashCode();
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            Loss loss = Loss.values()[(int) Math.floorMod(seed + offset, (long) Loss.values().length)];
            if (loss.needsMount() && !canMount) {
                loss = Loss.DIRECTORY_MOVED;
            }
            Path root = Files.createTempDirectory(scratch, "place-").toRealPath();
            try {
                if (!loss.needsVolume()) {
                    return new Case(root, Optional.empty(), loss, random).run();
                }
                try (LoopVolume volume = LoopVolume.make(Kind.EXT4)) {
                    volume.mount("errors=remount-ro");
                    return new Case(volume.directory(), Optional.of(volume), loss, random).run();
                }
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError(loss + ": " + broken.getMessage(), broken);
            } finally {
                Directories.delete(root);
            }
        }

        /** One case in a directory of its own. */
        private final class Case {
            private final Path directory;
            private final Path away;
            private final Optional<LoopVolume> volume;
            private final Loss loss;
            private final Random random;
            private final TorturedStore store;
            private final Disk disk = new SystemDisk();
            private boolean isCovered;

            Case(Path root, Optional<LoopVolume> volume, Loss loss, Random random) {
                this.directory = root.resolve("store");
                this.away = root.resolve("away");
                this.volume = volume;
                this.loss = loss;
                this.random = random;
                this.store = new TorturedStore(subject, directory, launch);
            }

            Counts run() throws IOException, InterruptedException {
                try {
                    return lose();
                } finally {
                    store.abandon();
                    uncover();
                }
            }

            private Counts lose() throws IOException, InterruptedException {
                store.open();
                Torture load = store.beginLoad(random.nextLong());
                TimeUnit.MILLISECONDS.sleep(MIN_LOAD_MILLIS + random.nextInt(MORE_LOAD_MILLIS));
                load.disasterBegins();
                store.expectDamage();
                if (loss == Loss.LOCK_REMOVED_WHILE_STOPPED) {
                    Signals.send("STOP", store.process().process());
                }
                take();
                long begun = System.nanoTime();
                if (loss == Loss.LOCK_REMOVED && random.nextBoolean()) {
                    openAtOnce();
                }
                if (loss == Loss.LOCK_REMOVED_WHILE_STOPPED) {
                    openWhileStopped();
                }
                if (!ends(store.process())) {
                    return unnoticed(load);
                }
                long noticed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
                String why =
                        store.process().failure().map(Throwable::getMessage).orElse("");
                mustRefuse(store.process());
                load.stop();
                load.awaitEnd();
                // The one that has lost its lock lives on beside the next owner.
                if (loss.leavesNoLock()) {
                    openBeside();
                } else {
                    boolean isMarked = awaitMark(why);
                    if (loss.leavesLock()) {
                        refusesSecond();
                    }
                    store.kill();
                    if (isMarked) {
                        refusesRestarts();
                    }
                    if (loss.canBeUndone && !opensOtherFiles()) {
                        bringBack();
                        acceptLoss();
                        store.open();
                    }
                }
                return Counts.of(LOSSES, 1)
                        .and(loss.name().toLowerCase(Locale.ROOT).replace('_', ' '), 1)
                        .and("milliseconds until they were noticed", noticed);
            }

            /** A store that opens files by name may have acknowledged into those of the other directory. */
            private boolean opensOtherFiles() {
                return (loss == Loss.DIRECTORY_REPLACED || loss == Loss.DIRECTORY_COVERED)
                        && !subject.name().startsWith("journal-segmented");
            }

            /**
             * Whether the watch has found that data is missing: then it marks the loss. A write may have found a
             * missing file before it. No write uses the identity.
             */
            private boolean awaitMark(String why) throws IOException, InterruptedException {
                boolean isOfIdentity = loss == Loss.IDENTITY_REMOVED || loss == Loss.IDENTITY_OVERWRITTEN;
                boolean isOfFile = loss == Loss.FILE_REMOVED || loss == Loss.FILE_CUT;
                if (!isOfIdentity && !(isOfFile && why.contains(NOTICED))) {
                    return false;
                }
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                while (LossMark.find(disk, directory).isEmpty()) {
                    if (System.nanoTime() > deadline) {
                        throw new AssertionError("a loss was noticed and not marked");
                    }
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
                return true;
            }

            /** No restart opens over a loss that is marked, however often a supervisor tries. */
            private void refusesRestarts() throws IOException {
                for (int i = 0; i < RESTARTS; i++) {
                    StoreProcess next;
                    try {
                        next = SubjectProcess.start(launch.command(subject, directory));
                    } catch (StoreException refused) {
                        if (!refused.getMessage().contains("accept-loss")) {
                            throw new AssertionError("a marked loss is refused for another reason", refused);
                        }
                        continue;
                    }
                    next.kill();
                    throw new AssertionError("a process has opened a store over a loss that was noticed");
                }
            }

            /** As a person does who has brought everything back. A directory that was another one has no mark. */
            private void acceptLoss() throws IOException {
                Optional<LossMark> mark = LossMark.find(disk, directory);
                boolean isExpected = loss == Loss.IDENTITY_REMOVED || loss == Loss.IDENTITY_OVERWRITTEN;
                if (mark.isPresent() != isExpected) {
                    throw new AssertionError("the mark of the loss is " + mark);
                }
                if (mark.isPresent()) {
                    LossMark.accept(disk, directory, mark.get(), "it is back", "stage", Instant.EPOCH);
                }
            }

            /** The loser lives and has its lock, so no other process may open the store. */
            private void refusesSecond() throws IOException {
                boolean isMoved = loss == Loss.DIRECTORY_MOVED || loss == Loss.DIRECTORY_REPLACED;
                StoreProcess second;
                try {
                    second = SubjectProcess.start(launch.command(subject, isMoved ? away : directory));
                } catch (StoreException refused) {
                    return;
                }
                second.kill();
                throw new AssertionError("a second process has opened a store whose owner lives");
            }

            /** Nothing keeps a second process out without the lock file: it must come after the first has failed. */
            private void openAtOnce() throws IOException {
                StoreProcess second = SubjectProcess.start(launch.command(subject, directory));
                try {
                    mustRefuse(store.process());
                } finally {
                    second.kill();
                }
            }

            /** The next owner waits, and the stopped one notices nothing; awake, it must not acknowledge first. */
            private void openWhileStopped() throws IOException {
                StoreProcess second = SubjectProcess.start(launch.command(subject, directory));
                try {
                    Signals.send("CONT", store.process().process());
                    mustRefuse(store.process());
                } finally {
                    second.kill();
                }
            }

            private void openBeside() throws IOException {
                StoreProcess loser = store.process();
                try {
                    store.open();
                    mustRefuse(loser);
                } finally {
                    loser.kill();
                }
            }

            private boolean ends(StoreProcess process) throws InterruptedException {
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                while (process.failure().isEmpty()) {
                    if (System.nanoTime() > deadline) {
                        return false;
                    }
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
                return true;
            }

            /** A file may have been a spare, or have been used up between two looks: then nothing is missing. */
            private Counts unnoticed(Torture load) throws IOException, InterruptedException {
                if (loss == Loss.SWITCHED_TO_READ_ONLY) { // where no file can be opened, no force fails
                    mustRefuse(store.process());
                    load.stop();
                    load.awaitEnd();
                    store.kill();
                    return Counts.of(LOSSES, 1).and("refused, and not failed", 1);
                }
                if (loss != Loss.FILE_REMOVED && loss != Loss.FILE_CUT) {
                    throw new AssertionError("I1 durable violated: the store acknowledges into files without names");
                }
                load.stop();
                load.awaitEnd();
                store.kill();
                store.open();
                return Counts.of(LOSSES, 1).and("not noticed, and nothing missing", 1);
            }

            private void mustRefuse(StoreProcess process) {
                try {
                    process.write(KEY, new byte[100], Durability.FORCED);
                } catch (StoreException refused) {
                    return;
                }
                throw new AssertionError("I1 durable violated: a store without its place has acknowledged a write");
            }

            private void take() throws IOException {
                Path lock = directory.resolve(StoreDirectory.LOCK_FILE);
                Path identity = directory.resolve(StoreIdentity.FILE_NAME);
                switch (loss) {
                    case DIRECTORY_REMOVED -> removeDirectory();
                    case DIRECTORY_MOVED -> Files.move(directory, away);
                    case DIRECTORY_REPLACED -> {
                        Files.move(directory, away);
                        Directories.copy(away, directory);
                    }
                    case DIRECTORY_COVERED -> {
                        LoopVolume.run(List.of("mount", "-t", "tmpfs", "none", directory.toString()));
                        isCovered = true;
                    }
                    case VOLUME_UNMOUNTED ->
                        LoopVolume.run(List.of(
                                "umount",
                                "--lazy",
                                volume.orElseThrow().directory().toString()));
                    case SWITCHED_TO_READ_ONLY -> volume.orElseThrow().switchToReadOnly();
                    case OWNER_REPLACED ->
                        Files.writeString(directory.resolve(StoreDirectory.OWNER_FILE), "pid=1 host=elsewhere\n");
                    case LOCK_REMOVED, LOCK_REMOVED_WHILE_STOPPED -> Files.delete(lock);
                    case LOCK_REPLACED -> {
                        Files.delete(lock);
                        Files.createFile(lock);
                    }
                    case IDENTITY_REMOVED -> Files.move(identity, away);
                    case IDENTITY_OVERWRITTEN -> {
                        Files.copy(identity, away);
                        cut(identity, 1);
                    }
                    case FILE_REMOVED -> takeFile(Files::delete);
                    case FILE_CUT -> takeFile(file -> cut(file, CUT_BYTES));
                }
            }

            /** The store makes, renames and deletes files meanwhile. */
            private void takeFile(Taking taking) throws IOException {
                store.watched().write(KEY, new byte[5_000], Durability.FORCED);
                for (int tries = 0; ; tries++) {
                    try {
                        taking.take(aFileOfRecords());
                        return;
                    } catch (NoSuchFileException | UncheckedIOException gone) {
                        if (tries == MOST_TRIES) {
                            throw gone;
                        }
                    }
                }
            }

            /** The store makes files meanwhile. */
            private void removeDirectory() throws IOException {
                Path doomed = Files.move(directory, away);
                Directories.delete(doomed);
            }

            private void bringBack() throws IOException {
                Path identity = directory.resolve(StoreIdentity.FILE_NAME);
                switch (loss) {
                    case DIRECTORY_MOVED -> Files.move(away, directory);
                    case DIRECTORY_REPLACED -> {
                        Directories.delete(directory);
                        Files.move(away, directory);
                    }
                    case DIRECTORY_COVERED -> uncover();
                    case VOLUME_UNMOUNTED -> volume.orElseThrow().mount("defaults");
                    case SWITCHED_TO_READ_ONLY -> {
                        volume.orElseThrow().unmount();
                        volume.orElseThrow().mount("defaults");
                    }
                    case OWNER_REPLACED -> {
                        // each owner writes the note anew
                    }
                    case IDENTITY_REMOVED, IDENTITY_OVERWRITTEN -> {
                        Files.deleteIfExists(identity);
                        Files.move(away, identity);
                    }
                    default -> throw new IllegalStateException(loss + " is not undone");
                }
            }

            private void uncover() throws IOException {
                if (isCovered) {
                    LoopVolume.run(List.of("umount", directory.toString()));
                    isCovered = false;
                }
            }

            private void cut(Path file, long bytes) throws IOException {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(bytes);
                }
            }

            /** Any file of a journal; of a file store one that the load does not touch. */
            private Path aFileOfRecords() throws IOException {
                Path ofType = directory.resolve("states").resolve("+place");
                try (Stream<Path> paths = Files.walk(Files.isDirectory(ofType) ? ofType : directory)) {
                    List<Path> files =
                            paths.filter(PlaceStage::isOfRecords).sorted().toList();
                    return files.get(random.nextInt(files.size()));
                }
            }
        }
    }
}
