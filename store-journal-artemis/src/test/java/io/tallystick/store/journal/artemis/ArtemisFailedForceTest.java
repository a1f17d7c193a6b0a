package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
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
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A force has failed, and the journal is opened again while the page cache still shows what was lost. */
class ArtemisFailedForceTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FIRST_FILE = DIRECTORY.resolve("tallystick-1.jnl");

    private final SimulatedDisk disk = new SimulatedDisk();

    /** A batch of 200,000 bytes is compared and written in several parts. */
    @ParameterizedTest
    @CsvSource({"channel, 100", "channel, 200000", "direct, 100", "direct, 200000"})
    void whatAnOpeningShowsAfterAFailedForceSurvivesAPowerCut(String nextIo, int length) {
        assertShownStatesSurvive(killedAfterAFailedForce(length), nextIo, length);
    }

    private static void assertShownStatesSurvive(SimulatedDisk sameMachine, String nextIo, int length) {
        ObjectStore store = open(sameMachine, nextIo);
        assertThat(store.read(key(2)).orElseThrow()).hasSize(length);
        store.write(key(3), new byte[5000], Durability.FORCED);

        try (ObjectStore afterPowerCut = open(sameMachine.crash(0), nextIo)) {
            assertThat(afterPowerCut.read(key(1))).isPresent();
            assertThat(afterPowerCut.read(key(2)).orElseThrow()).hasSize(length);
            assertThat(afterPowerCut.read(key(3))).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void anOpeningThatCannotWriteAgainWhatItHasReadFailsAndShowsNothing(String nextIo) {
        SimulatedDisk sameMachine = killedAfterAFailedForce(100);
        FaultInjectingDisk failing = new FaultInjectingDisk(sameMachine);
        failing.inject(
                DiskFault.in(DiskOperation.WRITE).onFiles(FIRST_FILE::equals).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> open(failing, nextIo)).isInstanceOf(StoreIoException.class);

        assertThat(failing.struck()).isEqualTo(1);
        assertShownStatesSurvive(sameMachine, nextIo, 100);
    }

    @Test
    void anOpeningWhoseForceOfWhatItHasReadFailsIsRefused() {
        SimulatedDisk sameMachine = killedAfterAFailedForce(100);
        FaultInjectingDisk failing = new FaultInjectingDisk(sameMachine);
        // The first one comes before the file is read.
        failing.inject(DiskFault.in(DiskOperation.FORCE)
                .onFiles(FIRST_FILE::equals)
                .at(2)
                .preceding(sameMachine::failNextForce));

        assertThatThrownBy(() -> open(failing, "channel")).isInstanceOf(StoreIoException.class);

        assertShownStatesSurvive(sameMachine, "channel", 100);
    }

    @Test
    void anOpeningWritesNoBatchAgainThatIsOnDiskPastThePageCache() {
        ObjectStore killed = open(disk, "direct");
        killed.write(key(1), new byte[100], Durability.FORCED);
        FaultInjectingDisk watched = new FaultInjectingDisk(disk.kill());

        open(watched, "direct");

        assertThat(watched.count(DiskOperation.WRITE, FIRST_FILE::equals)).isZero();
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
                JournalStores.small(DIRECTORY, "artemis", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 4 * StoreOption.MIB)
                        .set(StoreOption.MAX_STATE_SIZE, 200 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of("/Test/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
