package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A step of closing throws what nobody expects: the other steps follow, because a second close does nothing. */
@Timeout(180)
class ClosingErrorsTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));
    private static final int SEGMENTS = 4;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final OpenFileWatch files = new OpenFileWatch(disk);
    private volatile boolean isClosing;

    /** Memory is short for a while, and a thread that must wait for a lock needs some. */
    @Test
    void aCloseThatCannotTakeTheLockAtOnceStillEndsTheHousekeeperAndClosesEveryFile() {
        AtomicInteger refusals = new AtomicInteger(3);
        Runnable noMemory = () -> {
            if (isClosing && refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("RoomRequests.hasLetGo calls lock", noMemory))) {
            ObjectStore store = opened(journal);
            assertThatCode(store::close).doesNotThrowAnyException();
        }
        assertThat(refusals).as("the lock was taken in the end").hasNegativeValue();
        assertAllIsClosedAndThere();
    }

    @Test
    void everySegmentIsClosedWhateverTheClosingOfEachThrows() {
        List<Throwable> thrown = new ArrayList<>();
        Runnable trouble = () -> {
            if (isClosing) {
                OutOfMemoryError next = new OutOfMemoryError("thrown by the test");
                thrown.add(next);
                throw next;
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("Segment.close returns", trouble))) {
            ObjectStore store = opened(journal);
            assertThatThrownBy(store::close).satisfies(error -> {
                assertThat(error).isSameAs(thrown.get(0));
                assertThat(error.getSuppressed())
                        .containsExactly(thrown.subList(1, SEGMENTS).toArray(Throwable[]::new));
            });
        }
        assertThat(thrown).hasSize(SEGMENTS);
        assertAllIsClosedAndThere();
    }

    /** The virtual machine has only a few errors for a lack of memory, and throws them again. */
    @Test
    void everySegmentIsClosedWhereAllThrowTheSameError() {
        OutOfMemoryError thrown = new OutOfMemoryError("thrown by the test");
        Runnable trouble = () -> {
            if (isClosing) {
                throw thrown;
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("Segment.close returns", trouble))) {
            ObjectStore store = opened(journal);
            assertThatThrownBy(store::close).isSameAs(thrown);
        }
        assertAllIsClosedAndThere();
    }

    private ObjectStore opened(PassageLoader journal) {
        ObjectStore store = journal.open(configuration(), files.disk());
        store.write(KEY, new byte[100], Durability.FORCED);
        isClosing = true;
        return store;
    }

    private void assertAllIsClosedAndThere() {
        assertThat(files.open()).isEmpty();
        try (ObjectStore store = JournalStores.open(configuration(), disk)) {
            assertThat(store.read(KEY)).isPresent();
        }
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.JOURNAL_SEGMENTS, SEGMENTS)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }
}
