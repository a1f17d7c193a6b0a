package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A force has failed, and the store is opened again while the page cache still shows what was lost. */
class FailedForceTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");

    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void whatAnOpeningShowsAfterAFailedForceSurvivesAPowerCut(String nextIo) throws IOException {
        SimulatedDisk sameMachine = killedAfterAFailedForce(100);

        assertShownStatesSurvive(sameMachine, nextIo, 100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void aLongBatchThatAnOpeningShowsAfterAFailedForceSurvivesAPowerCut(String nextIo) throws IOException {
        SimulatedDisk sameMachine = killedAfterAFailedForce(70_001);

        assertShownStatesSurvive(sameMachine, nextIo, 70_001);
    }

    private static void assertShownStatesSurvive(SimulatedDisk sameMachine, String nextIo, int length)
            throws IOException {
        ObjectStore store = open(sameMachine, nextIo);
        assertThat(store.read(key(2)).orElseThrow()).hasSize(length);
        store.write(key(3), new byte[100], Durability.FORCED);

        try (ObjectStore afterPowerCut = open(sameMachine.crash(0), nextIo)) {
            assertThat(afterPowerCut.read(key(1))).isPresent();
            assertThat(afterPowerCut.read(key(2)).orElseThrow()).hasSize(length);
            assertThat(afterPowerCut.read(key(3))).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void anOpeningThatCannotWriteAgainWhatItHasReadFailsAndShowsNothing(String nextIo) throws IOException {
        SimulatedDisk sameMachine = killedAfterAFailedForce(100);
        FaultInjectingDisk failing = new FaultInjectingDisk(sameMachine);
        failing.inject(DiskFault.in(DiskOperation.WRITE)
                .onFiles(file -> SegmentFormat.fileNumber(file) == 1)
                .failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> open(failing, nextIo)).isInstanceOf(StoreIoException.class);

        assertThat(failing.struck()).isEqualTo(1);
        assertShownStatesSurvive(sameMachine, nextIo, 100);
    }

    @Test
    void anOpeningWhoseForceOfWhatItHasReadFailsIsRefused() throws IOException {
        SimulatedDisk sameMachine = killedAfterAFailedForce(100);
        FaultInjectingDisk failing = new FaultInjectingDisk(sameMachine);
        // The first one comes before the file is read.
        failing.inject(DiskFault.in(DiskOperation.FORCE)
                .onFiles(file -> SegmentFormat.fileNumber(file) == 1)
                .at(2)
                .preceding(sameMachine::failNextForce));

        assertThatThrownBy(() -> open(failing, "channel")).isInstanceOf(StoreIoException.class);

        assertShownStatesSurvive(sameMachine, "channel", 100);
    }

    @Test
    void anOpeningWritesNoBatchAgainThatIsOnDiskPastThePageCache() throws IOException {
        ObjectStore killed = open(disk, "direct");
        killed.write(key(1), new byte[100], Durability.FORCED);
        FaultInjectingDisk watched = new FaultInjectingDisk(disk.kill());

        open(watched, "direct").close();

        assertThat(watched.log())
                .filteredOn(event ->
                        event.operation() == DiskOperation.WRITE && SegmentFormat.fileNumber(event.file()) == 1)
                .isEmpty();
    }

    @Test
    void anOpeningThroughThePageCacheWritesTheLastBatchAgainAndNoOther() throws IOException {
        ObjectStore killed = open(disk, "channel");
        for (int i = 0; i < 5; i++) {
            killed.write(key(i), new byte[100], Durability.FORCED);
        }
        FaultInjectingDisk watched = new FaultInjectingDisk(disk.kill());

        open(watched, "channel");

        assertThat(watched.log())
                .filteredOn(event ->
                        event.operation() == DiskOperation.WRITE && SegmentFormat.fileNumber(event.file()) == 1)
                .as("the batch and its header")
                .hasSize(2)
                .filteredOn(event -> event.position() > 0)
                .hasSize(1);
    }

    /** No mark covers a header, and an opening that copies segments writes it after the batches. */
    @Test
    void aHeaderThatAnOpeningHasReadAfterAFailedForceSurvivesAPowerCut() throws IOException {
        ObjectStore killed = open(disk, "channel");
        killed.write(key(1), new byte[100], Durability.FORCED);
        SimulatedDisk failing = disk.kill();
        Path segment = DIRECTORY.resolve(SegmentFormat.fileName(1));
        byte[] onDisk = failing.contents(segment);
        byte[] older = onDisk.clone();
        Arrays.fill(older, 0, SegmentFormat.SEGMENT_HEADER_BYTES, (byte) 0);
        failing.replaceContents(segment, older);
        try (DiskFile file = failing.open(segment, OpenMode.READ_WRITE)) {
            file.writeFully(ByteBuffer.wrap(onDisk, 0, SegmentFormat.SEGMENT_HEADER_BYTES), 0);
            failing.failNextForce();
            assertThatThrownBy(file::force).isInstanceOf(IOException.class);
        }
        SimulatedDisk sameMachine = failing.kill();

        ObjectStore store = open(sameMachine, "channel");
        assertThat(store.read(key(1))).isPresent();

        try (ObjectStore afterPowerCut = open(sameMachine.crash(0), "channel")) {
            assertThat(afterPowerCut.read(key(1))).isPresent();
        }
    }

    private SimulatedDisk killedAfterAFailedForce(int length) {
        ObjectStore failed = open(disk, "channel");
        failed.write(key(1), new byte[100], Durability.FORCED);
        disk.failNextForce();
        assertThatThrownBy(() -> failed.write(key(2), new byte[length], Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(failed::close).isInstanceOf(StoreException.class);
        return disk.kill();
    }

    private static ObjectStore open(Disk disk, String io) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 1024 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 100 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of("/Test/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
