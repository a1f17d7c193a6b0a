package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.testkit.oracle.CrashSweep;
import io.tallystick.testkit.oracle.FaultSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to the disk, and whenever: what was promised is found, and nothing else. */
@Tag("long")
class FileStoreCrashTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void aCrashAtEveryOperationOfAHistoryKeepsEveryPromise(long seed) {
        CrashSweep.Report report = CrashSweep.of(FileStoreCrashTest::open, StoreWorkload.history(seed, 20))
                .withSeeds(2)
                .withNested(1)
                .run();

        assertThat(report.crashes()).isGreaterThan(20);
    }

    @Test
    void aCrashAtEveryOperationOfCommittingThreadsKeepsEveryPromise() {
        CrashSweep.Report report = CrashSweep.of(FileStoreCrashTest::open, StoreWorkload.commits(3, 6))
                .withSeeds(1)
                .withNested(0)
                .run();

        assertThat(report.crashes()).isGreaterThan(20);
    }

    @Test
    void aFaultInEveryOperationOfAHistoryIsToldAndBreaksNoPromise() {
        FaultSweep.Report report = FaultSweep.of(FileStoreCrashTest::open, StoreWorkload.history(1, 12))
                .run();

        assertThat(report.faults()).isGreaterThan(20);
    }

    @Test
    void aFaultInEveryOperationOfCommittingThreadsIsToldAndBreaksNoPromise() {
        FaultSweep.Report report = FaultSweep.of(FileStoreCrashTest::open, StoreWorkload.commits(3, 3))
                .run();

        assertThat(report.faults()).isGreaterThan(20);
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE", "FORCE", "OPEN", "RENAME", "FORCE_DIRECTORY", "DELETE"})
    void aClosedStoreLeavesNoFileOpenWhateverFailed(DiskOperation operation) {
        int occurrence = 0;
        boolean struck;
        do {
            occurrence++;
            FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
            disk.inject(DiskFault.in(operation).at(occurrence).failingWith(DiskFault.EIO));
            OpenFileWatch files = new OpenFileWatch(disk);
            try (ObjectStore store = open(files.disk(), Path.of("/simulated/store"))) {
                StoreWorkload.history(1, 20).run(store);
            } catch (StoreException failed) {
                // as it should
            }
            struck = disk.struck() > 0;
            assertThat(files.open()).as("%s %d failed", operation, occurrence).isEmpty();
        } while (struck);
        assertThat(occurrence).isGreaterThan(1);
    }

    private static ObjectStore open(Disk disk, Path directory) {
        return FileStore.open(FileStoreOptions.in(directory), disk, NanoClock.SYSTEM);
    }
}
