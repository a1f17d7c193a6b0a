package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
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
    void aLineThatComesLateDoesNotStandInTheFileOfTheNextOwner() throws IOException {
        Path file = Files.createDirectories(directory).resolve(StoreDirectory.OWNER_FILE);
        byte[] owner = "pid=1\n".getBytes(StandardCharsets.UTF_8);
        byte[] next = "pid=2\n".getBytes(StandardCharsets.UTF_8);
        SmallFile.note(new SystemDisk(), file, owner);
        try (EndingOwner ending = EndingOwner.of(new SystemDisk(), file, owner)) {
            SmallFile.note(new SystemDisk(), file, next);
            ending.tell();
        }
        assertThat(file).hasBinaryContent(next);
    }

    @Test
    void anOwnerWhoseFileNamesAnotherOneSaysNothing() throws IOException {
        Path file = Files.createDirectories(directory).resolve(StoreDirectory.OWNER_FILE);
        Files.writeString(file, "pid=1\n");
        for (String owner : List.of("pid=2\n", "pid=1", "pid=1\nstate")) {
            assertThatThrownBy(() -> EndingOwner.of(new SystemDisk(), file, owner.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(IOException.class);
        }
        assertThat(file).hasContent("pid=1\n");
    }

    @Test
    void afterTheClosingNothingIsWrittenAndAFileThatWasWrittenToIsNotClosed() throws IOException {
        Path file = Files.createDirectories(directory).resolve(StoreDirectory.OWNER_FILE);
        Files.writeString(file, "pid=1\n");
        List<String> calls = new ArrayList<>();
        Disk noting = watched(calls::add);
        EndingOwner silent = EndingOwner.of(noting, file, Files.readAllBytes(file));
        calls.clear();
        silent.close();
        silent.tell();
        assertThat(calls).containsExactly("close");
        calls.clear();

        EndingOwner telling = EndingOwner.of(noting, file, Files.readAllBytes(file));
        calls.clear();
        telling.tell();
        telling.close();
        assertThat(calls).containsExactly("writeFully");
    }

    @Test
    void aStartOnAFullDiskForgetsTheOwnerThatWasEnding() throws IOException {
        take(directory, NODE, LONG).close();
        Path file = directory.resolve(StoreDirectory.OWNER_FILE);
        Files.writeString(file, Files.readString(file) + EndingOwner.LINE + "\n");
        Disk full = new ForwardingDisk(new SystemDisk()) {
            @Override
            public DiskFile open(Path path, OpenMode mode) throws IOException {
                if (path.getFileName().toString().startsWith(StoreDirectory.OWNER_FILE)
                        && mode == OpenMode.CREATE_NEW) {
                    throw new IOException("No space left on device");
                }
                return super.open(path, mode);
            }
        };
        try (StoreDirectory taken =
                StoreDirectory.take(full, directory, KIND, false, new Taker(Optional.of(NODE), false, LONG))) {
            assertThat(StoreDirectory.owner(full, taken.path()))
                    .isEqualTo("an owner without a readable tallystick.owner");
            long begun = System.nanoTime();
            assertThatThrownBy(() -> take(directory, NODE, LONG)).hasMessageContaining("in use by");
            assertThat(System.nanoTime() - begun).isLessThan(LONG.toNanos());
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
    void aLineThatHangsDoesNotHoldUpTheClosing() throws Exception {
        Path file = Files.createDirectories(directory).resolve(StoreDirectory.OWNER_FILE);
        Files.writeString(file, "pid=1\n");
        CountDownLatch isWriting = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        Disk hanging = watched(call -> {
            if (call.equals("writeFully")) {
                isWriting.countDown();
                UninterruptedWait.through(mayGoOn::await);
            }
        });
        EndingOwner ending = EndingOwner.of(hanging, file, Files.readAllBytes(file));
        Thread teller = new Thread(ending::tell, "teller");
        teller.start();
        isWriting.await();

        assertThatCode(() ->
                        CompletableFuture.runAsync(() -> closeSurely(ending)).get(30, TimeUnit.SECONDS))
                .doesNotThrowAnyException();

        mayGoOn.countDown();
        teller.join();
    }

    /** The disk, with something done before each call on a file. */
    private static Disk watched(Consumer<String> before) {
        return new ForwardingDisk(new SystemDisk()) {
            @Override
            public DiskFile open(Path path, OpenMode mode) throws IOException {
                DiskFile opened = super.open(path, mode);
                return (DiskFile) Proxy.newProxyInstance(
                        DiskFile.class.getClassLoader(), new Class<?>[] {DiskFile.class}, (proxy, method, given) -> {
                            before.accept(method.getName());
                            return method.invoke(opened, given);
                        });
            }
        };
    }

    private static void closeSurely(EndingOwner ending) {
        try {
            ending.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
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
