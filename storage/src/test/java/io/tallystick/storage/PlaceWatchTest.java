package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the watch of a place does beside finding a loss; {@code LostPlaceContract} shows that on each store. */
@Timeout(60)
class PlaceWatchTest {
    private static final String THREAD = "place-watch-test";

    @TempDir
    Path root;

    private final Store store = new Store();

    @Test
    void aFileThatWasGivenUpDuringTheLookIsNotLost() throws IOException {
        try (StoreDirectory directory = taken(new SystemDisk())) {
            store.files.add(UsedFile.open(root.resolve("gone"), 1));
            directory.watch().start(THREAD, store);

            directory.watch().look();
            assertThat(store.losses).isEmpty();

            store.isUsed = true;
            directory.watch().look();
            assertThat(store.losses).singleElement().asString().contains("TALLY0105", "gone is gone");
        }
    }

    @Test
    void aFileThatWasReplacedIsLostAndOneThatIsOpenedByItsNameIsNot() throws IOException {
        Path named = Files.createFile(root.resolve("named"));
        Path open = Files.createFile(root.resolve("open"));
        store.isUsed = true;
        try (StoreDirectory directory = taken(new SystemDisk())) {
            store.files.add(UsedFile.named(named, 0));
            store.files.add(UsedFile.open(open, 0));
            directory.watch().start(THREAD, store);
            directory.watch().look();

            replace(named);
            directory.watch().look();
            assertThat(store.losses).isEmpty();

            replace(open);
            directory.watch().look();
            assertThat(store.losses).singleElement().asString().contains("open is another one now");
        }
    }

    /** Renamed over it: a number of an inode may come again at once. */
    private void replace(Path file) throws IOException {
        Path other = Files.createFile(root.resolve("other"));
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void nobodyWaitsForALookAtADeadMount() throws Exception {
        whileALookHangs(watch -> {
            watch.look();
            assertThat(watch.isLost()).isFalse();
        });
    }

    @Test
    void aThreadThatAcknowledgesWaitsOnceForALookThatGetsNoAnswer() throws Exception {
        whileALookHangs(watch -> {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
            long longest = 0;
            long callsSince = 0;
            while (System.nanoTime() < end) {
                long begun = System.nanoTime();
                watch.checkAfterStandstill();
                long took = System.nanoTime() - begun;
                callsSince = took > longest ? 0 : callsSince + 1;
                longest = Math.max(longest, took);
            }

            assertThat(longest).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(490));
            assertThat(callsSince).as("none of the others waits").isGreaterThan(100);
        });
    }

    private interface Task {
        void with(PlaceWatch watch) throws IOException;
    }

    private void whileALookHangs(Task task) throws Exception {
        CountDownLatch isStuck = new CountDownLatch(1);
        CountDownLatch isAnswered = new CountDownLatch(1);
        AnsweringDisk disk = new AnsweringDisk();
        try (StoreDirectory directory = taken(disk)) {
            directory.watch().start(THREAD, store);
            disk.answer = () -> {
                isStuck.countDown();
                awaitUninterrupted(isAnswered);
            };
            isStuck.await();

            task.with(directory.watch());

            assertThat(isAnswered.getCount()).isEqualTo(1);
            isAnswered.countDown();
        }
        assertThat(store.losses).isEmpty();
    }

    @Test
    void aLookWithoutAnAnswerIsWarnedOfOnceAndIsNoLoss() throws IOException {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        Handler handler = collecting(told);
        Logger logger = Logger.getLogger(PlaceWatch.class.getName());
        logger.addHandler(handler);
        AnsweringDisk disk = new AnsweringDisk();
        try (StoreDirectory directory = taken(disk)) {
            directory.watch().start(THREAD, store);
            disk.answer = () -> {
                throw new IOException("Permission denied");
            };
            directory.watch().look();
            directory.watch().look();
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(store.losses).isEmpty();
        assertThat(told).singleElement().asString().contains("TALLY0106", "Permission denied");
    }

    @Test
    void aLossThatCouldNotBeToldForLackOfMemoryIsToldAtTheNextLook() throws IOException {
        try (StoreDirectory directory = taken(new SystemDisk())) {
            directory.watch().start(THREAD, store);
            store.error = new OutOfMemoryError("planted");
            Files.delete(directory.path().resolve("tallystick.lock"));
            directory.watch().look();
            assertThat(store.losses).isEmpty();

            store.error = null;
            directory.watch().look();
            assertThat(store.losses).hasSize(1);
        }
    }

    @Test
    void theThreadEndsWithTheDirectory() throws IOException {
        try (StoreDirectory directory = taken(new SystemDisk())) {
            directory.watch().start(THREAD, store);
            assertThat(threads()).contains(THREAD);
        }
        assertThat(threads()).doesNotContain(THREAD);
    }

    @Test
    void aDiskThatDoesNotKnowFilesApartIsNotWatched() throws IOException {
        ForwardingDisk plain = new ForwardingDisk(new SystemDisk()) {
            @Override
            public Optional<PathIdentity> identityOf(Path path) {
                return Optional.empty();
            }
        };
        try (StoreDirectory directory = taken(plain)) {
            directory.watch().start(THREAD, store);
            directory.watch().look();
            assertThat(threads()).doesNotContain(THREAD);
            assertThat(directory.hasLockFile()).isTrue();
        }
    }

    private StoreDirectory taken(Disk disk) throws IOException {
        return StoreDirectory.take(disk, root.resolve("store"), "test-v1", false);
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static Handler collecting(List<String> messages) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                messages.add(entry.getMessage());
            }

            @Override
            public void flush() {
                // nothing is kept back
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }

    private interface Answer {
        void give() throws IOException;
    }

    /** A disk of which the test decides when it answers. */
    private static final class AnsweringDisk extends ForwardingDisk {
        private volatile Answer answer = () -> {};

        AnsweringDisk() {
            super(new SystemDisk());
        }

        @Override
        public Optional<PathIdentity> identityOf(Path path) throws IOException {
            answer.give();
            return super.identityOf(path);
        }
    }

    private static final class Store implements PlaceWatch.User {
        private final List<UsedFile> files = new ArrayList<>();
        private final List<PlaceLostException> losses = Collections.synchronizedList(new ArrayList<>());
        private volatile boolean isUsed;
        private volatile Error error;

        @Override
        public Collection<UsedFile> filesInUse() {
            return List.copyOf(files);
        }

        @Override
        public boolean isStillUsed(UsedFile file) {
            return isUsed;
        }

        @Override
        public void placeIsLost(PlaceLostException loss) {
            if (error != null) {
                throw error;
            }
            losses.add(loss);
        }
    }
}
