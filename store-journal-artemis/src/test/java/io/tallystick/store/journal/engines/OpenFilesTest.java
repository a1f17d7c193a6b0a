package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever fails, and whenever: a journal that was closed, or could not be opened, leaves no file open. */
class OpenFilesTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));
    // Several files are filled, and the first ones used again.
    private static final int WRITES = 60;
    private static final int STATE_BYTES = 6_000;

    @ParameterizedTest
    @CsvSource({
        "segmented, channel, WRITE",
        "segmented, channel, FORCE",
        "segmented, direct, WRITE",
        "segmented, direct, OPEN",
        "segmented, direct, RENAME",
        "segmented, direct, FORCE_DIRECTORY",
        "artemis, channel, WRITE",
        "artemis, channel, FORCE",
        "artemis, direct, WRITE",
        "artemis, direct, OPEN",
        "artemis, direct, RENAME",
        "artemis, direct, FORCE_DIRECTORY"
    })
    void aClosedJournalLeavesNoFileOpenWhateverFailed(String engine, String io, DiskOperation operation) {
        int occurrence = 0;
        boolean struck;
        do {
            occurrence++;
            FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
            disk.inject(DiskFault.in(operation).at(occurrence).failingWith(DiskFault.EIO));
            OpenFileWatch files = new OpenFileWatch(disk);
            live(engine, io, files);
            struck = disk.struck() > 0;
            assertThat(files.open()).as("%s %d failed", operation, occurrence).isEmpty();
        } while (struck);
        assertThat(occurrence).isGreaterThan(1);
    }

    private static void live(String engine, String io, OpenFileWatch files) {
        try (ObjectStore store = JournalStores.open(
                JournalStores.small(DIRECTORY, engine, io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                files.disk())) {
            for (int i = 0; i < WRITES; i++) {
                store.write(KEY, new byte[STATE_BYTES], Durability.FORCED);
            }
        } catch (StoreException failed) {
            // as it should
        }
    }
}
