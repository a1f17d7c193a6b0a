package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.system.LoopVolume;
import io.tallystick.durability.system.LoopVolume.Kind;
import io.tallystick.durability.system.RecordingDisk;
import io.tallystick.durability.system.RecordingDisk.Event;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A store works on ext4 on a disk that records each write and each flush. At random events the disk stops while the
 * oracle records the promises of that moment. Each moment then becomes several disks that a power cut could have left.
 * Such a disk has all writes before the last flush and any subset of the later ones, torn at 512 bytes. On each the
 * file system is mounted, and the store is opened and checked.
 */
public final class TornStage implements Stage {
    private static final String IMAGES = "images";
    private static final int MOMENTS = 3;
    private static final int DAMAGES = 4;
    private static final int MAX_EVENTS_BETWEEN = 90;
    private static final int MAX_OPERATIONS = 1_500;
    private static final int PAUSE_MILLIS = 10;
    private static final int EPILOGUE_STEPS = 6;
    private static final long BYTES = 48L << 20;

    @Override
    public String name() {
        return "torn";
    }

    @Override
    public String description() {
        return "a power cut keeps any of the blocks that ext4 wrote since the last flush, torn and reordered";
    }

    @Override
    public String unit() {
        return IMAGES;
    }

    @Override
    public long quickCount() {
        return MOMENTS * DAMAGES;
    }

    @Override
    public long fullCount() {
        return 50_000;
    }

    @Override
    public Optional<String> unavailableBecause() {
        return Files.exists(Path.of("/dev/fuse"))
                ? LoopVolume.unavailableBecause(Kind.EXT4)
                : Optional.of("there is no /dev/fuse here");
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a power cut");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return seed -> run(subject, scratch, seed);
    }

    /** An event of the disk, and the promises at that moment. */
    private record Moment(long event, Oracle oracle) {}

    private static Counts run(Subject subject, Path scratch, long seed) throws IOException, InterruptedException {
        try (LoopVolume made = LoopVolume.make(Kind.EXT4, BYTES, List.of());
                LoopVolume damaged = LoopVolume.make(Kind.EXT4, BYTES, List.of())) {
            Path flushed = Files.copy(made.image(), scratch.resolve("flushed-" + seed));
            List<Moment> moments = new ArrayList<>();
            List<Event> events = record(subject, made, scratch, seed, moments);
            Counts counts = Counts.of(IMAGES, 0).and("writes and flushes", events.size());
            int next = 0;
            List<Event> unflushed = new ArrayList<>();
            for (Moment moment : moments) {
                // If the event is a flush, it had not ended at that moment.
                for (; next < moment.event || isWriteUnderWay(events, next, moment); next++) {
                    if (events.get(next).isFlush()) {
                        RecordingDisk.damage(flushed, unflushed, 1);
                        unflushed.clear();
                    } else {
                        unflushed.add(events.get(next));
                    }
                }
                for (int i = 0; i < DAMAGES; i++) {
                    long damage = i < 2 ? i : 1_000L * seed + 10L * moment.event + i;
                    copySparse(flushed, damaged.image());
                    RecordingDisk.damage(damaged.image(), unflushed, damage);
                    checkRecovered(subject, damaged, moment, damage);
                    counts = counts.and(IMAGES, 1);
                }
            }
            Files.delete(flushed);
            return counts;
        }
    }

    /** Lets the store work until all moments are recorded, and answers the events of the disk. */
    private static List<Event> record(Subject subject, LoopVolume volume, Path scratch, long seed, List<Moment> moments)
            throws IOException, InterruptedException {
        Random random = new Random(seed);
        Oracle oracle = new Oracle();
        BlockingQueue<Moment> noted = new LinkedBlockingQueue<>();
        try (RecordingDisk disk = RecordingDisk.of(Files.createTempDirectory(scratch, "disk-"), volume.image())) {
            disk.goOnUntil(20 + random.nextInt(MAX_EVENTS_BETWEEN));
            Thread observer = new Thread(() -> observe(disk, oracle, random, noted), "observer");
            observer.setDaemon(true);
            observer.start();
            volume.mountFrom(disk.file());
            try (ObjectStore watched =
                    oracle.watch(subject.open(volume.directory().resolve("store")))) {
                Torture load = Torture.begin(subject, watched, seed);
                while (observer.isAlive() && load.answered() < MAX_OPERATIONS) {
                    observer.join(PAUSE_MILLIS);
                }
                load.stop();
                load.awaitEnd();
                // Promises first, so that the disk holds at least these.
                Oracle promised = oracle.copy();
                noted.add(new Moment(disk.events().size(), promised));
            } finally {
                volume.unmount();
                disk.stop();
            }
            observer.join();
            noted.drainTo(moments);
            moments.sort(Comparator.comparingLong(Moment::event));
            return disk.events();
        }
    }

    private static void observe(RecordingDisk disk, Oracle oracle, Random random, BlockingQueue<Moment> noted) {
        try {
            for (int i = 1; i <= MOMENTS; i++) {
                long event = disk.awaitStill();
                if (event < 0) {
                    return;
                }
                noted.add(new Moment(event, oracle.copy()));
                disk.goOnUntil(i < MOMENTS ? event + 1 + random.nextInt(MAX_EVENTS_BETWEEN) : -1);
            }
        } catch (IOException ended) {
            // then there are fewer moments
        }
    }

    private static boolean isWriteUnderWay(List<Event> events, int next, Moment moment) {
        return next == moment.event && next < events.size() && !events.get(next).isFlush();
    }

    private static void checkRecovered(Subject subject, LoopVolume volume, Moment moment, long damage)
            throws IOException {
        String where = "disk after event " + moment.event + " damage=" + damage + ": ";
        try {
            volume.mount("defaults");
        } catch (IOException broken) {
            throw new IOException(where + "ext4 cannot be mounted", broken);
        }
        try {
            Oracle oracle = moment.oracle.copy();
            try (ObjectStore store = subject.open(volume.directory().resolve("store"))) {
                oracle.checkRecovered(store);
                ObjectStore watched = oracle.watch(store);
                oracle.revealAll(watched);
                if (subject.is(Trait.WHOLE_CONTRACT)) {
                    StoreWorkload.history(damage, EPILOGUE_STEPS).run(watched);
                }
            }
        } catch (AssertionError | RuntimeException violated) {
            throw new AssertionError(where + violated.getMessage(), violated);
        } finally {
            volume.unmount();
        }
    }

    /** Copies the blocks that are not zero. */
    private static void copySparse(Path from, Path to) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(1 << 16);
        try (FileChannel source = FileChannel.open(from);
                FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE)) {
            target.truncate(0);
            for (long at = 0; at < source.size(); at += block.capacity()) {
                source.read(block.clear(), at);
                block.flip();
                if (block.mismatch(ByteBuffer.allocate(block.remaining())) >= 0) {
                    target.write(block, at);
                }
            }
            if (target.size() < source.size()) {
                target.write(ByteBuffer.allocate(1), source.size() - 1);
            }
        }
    }
}
