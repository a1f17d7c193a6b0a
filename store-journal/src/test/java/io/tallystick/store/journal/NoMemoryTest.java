package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Memory that runs out in a caller costs the store nothing that the caller has not been told. */
class NoMemoryTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));
    /** As many as there is room for in the first segments, many times over. */
    private static final int REFUSED = 20_000;

    private final AtomicBoolean isShort = new AtomicBoolean();
    private final SimulatedDisk disk = new SimulatedDisk();

    private void throwIfShort() {
        if (isShort.get()) {
            throw new OutOfMemoryError("simulated");
        }
    }

    @Test
    void aWriteForWhichThereIsNoMemoryGivesItsRoomBack() throws Exception {
        try (PassageLoader journal = new PassageLoader(Map.of("LogStore.queueIf calls <init>", this::throwIfShort));
                ObjectStore store = journal.open(JournalStores.small(DIRECTORY, "segmented", "channel"), disk)) {
            store.write(KEY, new byte[100], Durability.FORCED);
            int files = disk.list(DIRECTORY).size();
            isShort.set(true);
            for (int i = 0; i < REFUSED; i++) {
                assertThatThrownBy(() -> store.write(KEY, new byte[100], Durability.FORCED))
                        .isInstanceOf(OutOfMemoryError.class);
            }
            isShort.set(false);
            store.write(KEY, new byte[100], Durability.FORCED);
            assertThat(disk.list(DIRECTORY)).hasSize(files);
        }
    }

    /** Else it would be queued without a thread that looks after it, and appear some time later. */
    @Test
    void aMoveForWhichThereIsNoMemoryNeverAppears() {
        try (PassageLoader journal = new PassageLoader(Map.of("LogStore.queue calls <init>", this::throwIfShort));
                ObjectStore store = journal.open(JournalStores.small(DIRECTORY, "segmented", "channel"), disk)) {
            isShort.set(true);
            assertThatThrownBy(() -> store.writeShadow(KEY, new byte[100], Durability.FORCED))
                    .isInstanceOf(OutOfMemoryError.class);
            isShort.set(false);
            store.force();
            assertThat(store.readShadow(KEY)).isEmpty();
        }
    }

    @Test
    void aWriteThatCannotBeCountedIsInTheIndexNevertheless() {
        try (PassageLoader journal =
                        new PassageLoader(Map.of("LogStore.count calls bytesChanged", this::throwIfShort));
                ObjectStore store = journal.open(JournalStores.small(DIRECTORY, "segmented", "channel"), disk)) {
            isShort.set(true);
            assertThatCode(() -> store.write(KEY, new byte[100], Durability.FORCED))
                    .doesNotThrowAnyException();
            isShort.set(false);
            assertThat(store.read(KEY)).hasValue(new byte[100]);
            assertThat(store.failure()).isEmpty();
        }
    }
}
