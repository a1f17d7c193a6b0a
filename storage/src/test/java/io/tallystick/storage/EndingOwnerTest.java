package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that is being ended while the next one starts, as in a restart that does not wait. */
@Timeout(120)
class EndingOwnerTest {
    private static final String KIND = "file-v1";
    private static final String NODE = "orders-0";
    private static final Duration LONG = Duration.ofSeconds(60);

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            told.add(line.getLevel() + " " + line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    private Path temporary;

    private Path directory;
    private Path mayEnd;

    @BeforeEach
    void listen() {
        directory = temporary.resolve("store");
        mayEnd = temporary.resolve("may-end");
        Logger.getLogger(StoreDirectory.class.getName()).addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        Logger.getLogger(StoreDirectory.class.getName()).removeHandler(handler);
    }

    /** Owns the directory, and when it is told to end, does so once the file that is its second argument is there. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws IOException {
            StoreDirectory owned = take(Path.of(arguments[0]), NODE, LONG);
            owned.bind();
            owned.watch().start("place", new NoFilesInUse());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                while (!Files.exists(Path.of(arguments[1]))) {
                    LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                }
                owned.watch().look();
                System.out.println("lost=" + owned.watch().isLost());
                System.out.flush();
            }));
            System.out.println("taken");
            while (System.in.read() >= 0) {
                // until it is ended
            }
        }
    }

    @Test
    void theNextProcessOfTheNodeWaitsUntilTheOneThatIsEndingHasEnded() throws Exception {
        try (ChildJvm.Running owner = started()) {
            end(owner);
            CompletableFuture<StoreDirectory> next = CompletableFuture.supplyAsync(() -> {
                try {
                    return take(directory, NODE, LONG);
                } catch (IOException refused) {
                    throw new IllegalStateException(refused.getMessage(), refused);
                }
            });
            assertThat(told.poll(60, TimeUnit.SECONDS))
                    .startsWith("INFO TALLY0114 directory=" + directory.toRealPath() + " ")
                    .contains("pid=" + owner.pid() + " host=", "waits up to 60 s (tallystick.patience)");
            assertThat(next).isNotDone();
            Files.createFile(mayEnd);
            try (StoreDirectory taken = next.get(60, TimeUnit.SECONDS)) {
                assertThat(StoreDirectory.owner(new SystemDisk(), taken.path()))
                        .contains("pid=" + ProcessHandle.current().pid())
                        .doesNotContain("state=");
            }
            assertThat(owner.lines()).as("its own note is no other owner").containsExactly("lost=false");
            assertThat(told).as("one line").isEmpty();
        }
    }

    @Test
    void aProcessThatIsNotEndingIsNotWaitedFor() throws Exception {
        try (ChildJvm.Running owner = started()) {
            assertThatThrownBy(() -> take(directory, NODE, LONG))
                    .hasMessageContaining("is in use by pid=" + owner.pid())
                    .hasMessageContaining("close that store, or configure another directory");
            assertThat(told).isEmpty();
        }
    }

    @Test
    void anotherNodeAndAnOpenerWithoutANodeDoNotWaitForAProcessThatIsEnding() throws Exception {
        try (ChildJvm.Running owner = started()) {
            end(owner);
            assertThatThrownBy(() -> take(directory, "orders-1", LONG))
                    .hasMessageContaining("belongs to node=" + NODE + ", but node=orders-1");
            assertThatThrownBy(() -> StoreDirectory.take(new SystemDisk(), directory, KIND, false))
                    .hasMessageContaining("is in use by pid=" + owner.pid())
                    .hasMessageContaining("that process is ending: start again when it has ended");
            assertThat(told).isEmpty();
        }
    }

    @Test
    void aStartThatHasWaitedInVainIsRefused() throws Exception {
        try (ChildJvm.Running owner = started()) {
            end(owner);
            assertThatThrownBy(() -> take(directory, NODE, Duration.ofMillis(300)))
                    .isInstanceOf(StoreDirectoryException.class)
                    .hasMessageContaining("is in use by pid=" + owner.pid())
                    .hasMessageContaining("state=ending");
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void aDirectoryThatWasGivenUpIsNotWrittenTo() throws Exception {
        try (StoreDirectory owned = take(directory, NODE, LONG)) {
            byte[] owner = Files.readAllBytes(directory.resolve(StoreDirectory.OWNER_FILE));
            EndingOwner ending = new EndingOwner(
                    new SystemDisk(), owned.path().resolve(StoreDirectory.OWNER_FILE), owner, () -> false);
            ending.close();
            ending.tell();
            EndingOwner ofALostPlace = new EndingOwner(
                    new SystemDisk(), owned.path().resolve(StoreDirectory.OWNER_FILE), owner, () -> true);
            ofALostPlace.tell();
            assertThat(Files.readAllBytes(directory.resolve(StoreDirectory.OWNER_FILE)))
                    .isEqualTo(owner);
        }
    }

    @Test
    void aLockFileThatAHandRemovesDuringTheWaitDoesNotLetTheNextProcessInAtOnce() throws Exception {
        try (ChildJvm.Running owner = started()) {
            end(owner);
            CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> {
                try {
                    StoreDirectory taken = take(directory, NODE, LONG);
                    long at = System.nanoTime();
                    taken.close();
                    return at;
                } catch (IOException refused) {
                    throw new IllegalStateException(refused.getMessage(), refused);
                }
            });
            assertThat(told.poll(60, TimeUnit.SECONDS)).contains("TALLY0114");
            long removed = System.nanoTime();
            Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));

            assertThat(next.get(60, TimeUnit.SECONDS) - removed)
                    .as("nanoseconds, in which the owner that is ending notices its loss")
                    .isGreaterThan(Duration.ofSeconds(2).toNanos());
            Files.createFile(mayEnd);
            assertThat(owner.lines()).containsExactly("lost=true");
        }
    }

    @Test
    void aNoteThatHangsDoesNotHoldUpTheClosingAndKeepsTheDirectory() throws Exception {
        Path of = Files.createDirectories(directory.resolve("hanging")).toRealPath();
        CountDownLatch isInTheNote = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        EndingOwner ending = new EndingOwner(new SystemDisk(), of.resolve("note"), new byte[0], () -> {
            isInTheNote.countDown();
            UninterruptedWait.through(mayGoOn::await);
            return true;
        });
        Thread teller = new Thread(ending::tell, "teller");
        teller.start();
        isInTheNote.await();

        assertThatCode(() -> CompletableFuture.runAsync(ending::close).get(30, TimeUnit.SECONDS))
                .doesNotThrowAnyException();

        assertThat(UnansweredWrites.in(of)).contains(of.resolve("note"));
        mayGoOn.countDown();
        teller.join();
    }

    private ChildJvm.Running started() throws IOException {
        ChildJvm.Running owner = ChildJvm.of(Owner.class).start(directory.toString(), mayEnd.toString());
        assertThat(owner.line()).isEqualTo("taken");
        return owner;
    }

    /** Ends it as an orchestrator does, and waits until it has said so. */
    private void end(ChildJvm.Running owner) {
        ProcessHandle.of(owner.pid()).orElseThrow().destroy();
        while (!StoreDirectory.owner(new SystemDisk(), directory).endsWith(" state=ending")) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private static StoreDirectory take(Path directory, String node, Duration patience) throws IOException {
        return StoreDirectory.take(
                new SystemDisk(), directory, KIND, false, new Taker(Optional.of(node), false, patience));
    }
}
