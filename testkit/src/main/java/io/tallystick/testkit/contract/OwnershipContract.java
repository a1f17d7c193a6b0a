package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** Many stores in one process, one owner for each directory. */
interface OwnershipContract extends StoreContract {
    /**
     * A directory is at rest when this number of readings in a row find the same files. A store may have housekeeping
     * threads.
     */
    int EQUAL_READINGS = 5;

    /** The pause between two of the {@link #EQUAL_READINGS}, nanoseconds. */
    long READING_PAUSE_NANOS = 120_000_000;

    @Test
    default void twoStoresInTwoDirectoriesKnowNothingOfEachOther() {
        Path elsewhere = subject().directory().resolveSibling("elsewhere");
        ObjectStore other = subject().openIn(elsewhere);
        store().write(key(1), States.of("here"), Durability.FORCED);
        other.write(key(1), States.of("there"), Durability.FORCED);
        other.write(key(2), States.of("there"), Durability.DEFERRED);
        assertThat(store().read(key(1))).contains(States.of("here"));
        assertThat(other.read(key(1))).contains(States.of("there"));
        assertThat(store().keys(StoreUnderTest.TYPE)).containsExactly(key(1));
        other.close();
        assertThatThrownBy(() -> other.read(key(1))).isInstanceOf(StoreClosedException.class);
        store().write(key(3), States.of("goes on"), Durability.FORCED);
        subject().nowAndAfterReopening(store -> assertThat(store.keys(StoreUnderTest.TYPE))
                .containsExactlyInAnyOrder(key(1), key(3)));
        if (subject().isDurable()) {
            assertThat(subject().openIn(elsewhere).keys(StoreUnderTest.TYPE)).containsExactlyInAnyOrder(key(1), key(2));
        }
    }

    @Test
    default void aSecondOpenerIsToldWhoHasTheDirectoryAndChangesNothing() throws IOException {
        assumeTrue(subject().isDurable(), "skipped: a store that is not durable has no owner");
        store().write(key(1), States.of("owned"), Durability.FORCED);
        SortedMap<String, String> before =
                subject().hasDirectory() ? stableContents(subject().directory()) : new TreeMap<>();
        assertThatThrownBy(() -> subject().openIn(subject().directory()))
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining("pid=" + ProcessHandle.current().pid())
                .hasMessageContaining(
                        subject().hasDirectory()
                                ? subject().directory().toRealPath().toString()
                                : "");
        if (subject().hasDirectory()) {
            assertThat(contents(subject().directory())).isEqualTo(before);
        }
        store().write(key(2), States.of("goes on"), Durability.FORCED);
        assertThatThrownBy(() -> subject().openIn(subject().directory())).isInstanceOf(StoreLockedException.class);
        subject().nowAndAfterReopening(store -> assertThat(store.keys(StoreUnderTest.TYPE))
                .containsExactlyInAnyOrder(key(1), key(2)));
    }

    @Test
    default void anotherWayToTheSameDirectoryIsTheSameDirectory() throws IOException {
        assumeTrue(subject().hasDirectory(), "skipped: the store has no directory");
        store().write(key(1), States.of("owned"), Durability.FORCED);
        Path directory = subject().directory();
        Path detour = directory.resolve("..").resolve(directory.getFileName());
        assertThatThrownBy(() -> subject().openIn(detour)).isInstanceOf(StoreLockedException.class);
        Path link = directory.resolveSibling("link-to-parent");
        assumeTrue(isLinked(link, directory.getParent()), "skipped: this system makes no symbolic links for this user");
        assertThatThrownBy(() -> subject().openIn(link.resolve(directory.getFileName())))
                .isInstanceOf(StoreLockedException.class);
    }

    /** A user of Windows needs a privilege for that, and Wine says that it has done so. */
    private static boolean isLinked(Path link, Path target) throws IOException {
        try {
            return Files.isSymbolicLink(Files.createSymbolicLink(link, target));
        } catch (IOException | UnsupportedOperationException notAllowed) {
            if (System.getProperty("os.name").startsWith("Windows")) {
                return false;
            }
            throw notAllowed;
        }
    }

    @Test
    default void ofManyOpenersAtOnceOneWins() {
        assumeTrue(subject().isDurable(), "skipped: a store that is not durable has no owner");
        Path contested = subject().directory().resolveSibling("contested");
        AtomicInteger winners = new AtomicInteger();
        AtomicInteger losers = new AtomicInteger();
        ObjectStore[] opened = new ObjectStore[6];
        try {
            Threads.run(opened.length, thread -> {
                try {
                    opened[thread] = subject().openUnregistered(contested);
                    winners.incrementAndGet();
                } catch (StoreLockedException locked) {
                    losers.incrementAndGet();
                }
            });
            assertThat(winners).hasValue(1);
            assertThat(losers).hasValue(opened.length - 1);
        } finally {
            for (ObjectStore store : opened) {
                if (store != null) {
                    store.close();
                }
            }
        }
    }

    private static SortedMap<String, String> stableContents(Path directory) throws IOException {
        SortedMap<String, String> last = null;
        for (int i = 0, alike = 0; i < 1_000; i++) {
            SortedMap<String, String> next;
            try {
                next = contents(directory);
            } catch (NoSuchFileException | UncheckedIOException moving) {
                next = null; // a file was renamed during the reading
            }
            alike = next != null && next.equals(last) ? alike + 1 : 0;
            if (alike == EQUAL_READINGS) {
                return next;
            }
            last = next;
            LockSupport.parkNanos(READING_PAUSE_NANOS);
        }
        throw new AssertionError("the files of an idle store do not come to rest: " + last);
    }

    private static SortedMap<String, String> contents(Path directory) throws IOException {
        SortedMap<String, String> contents = new TreeMap<>();
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.toList()) {
                String content = "directory";
                if (Files.isRegularFile(path)) {
                    CRC32 crc = new CRC32();
                    byte[] bytes = Files.readAllBytes(path);
                    crc.update(bytes);
                    content = "size=" + bytes.length + " crc32=" + Long.toHexString(crc.getValue());
                }
                contents.put(directory.relativize(path).toString(), content);
            }
        }
        return contents;
    }
}
