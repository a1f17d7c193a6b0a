package com.example.notebook;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.testkit.oracle.CrashSweep;
import io.tallystick.testkit.oracle.FaultSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Whatever a crash leaves, and whichever operation of the disk fails, what was acknowledged is there. */
class NotebookCrashTest {
    @Test
    void everyCrashLeavesWhatWasPromised() {
        CrashSweep.Report report = CrashSweep.of(NotebookCrashTest::open, StoreWorkload.history(1, 40))
                .withSeeds(3)
                .withNested(1)
                .run();
        assertThat(report.crashes()).isGreaterThan(100);
    }

    @Test
    void everyFaultLeavesWhatWasPromised() {
        FaultSweep.of(NotebookCrashTest::open, StoreWorkload.history(1, 20)).run();
    }

    private static ObjectStore open(Disk disk, Path directory) {
        return NotebookStore.open(
                StoreConfiguration.builder()
                        .set("tallystick.notebook.rewrite-above", "64KiB")
                        .directory(directory)
                        .build(),
                disk);
    }
}
