package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The newest batch is brought to disk before anything depends on it, and nothing torn is left behind it. */
class NewestBatchTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final Path FILE = DIRECTORY.resolve("tallystick-1.jnl");
    private static final int FILE_BYTES = 256 * 1024;
    private static final int POSITION = 8192 + 40;
    private static final int BATCH_BYTES = 100_000; // more than one chunk

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private final byte[] onDisk = new byte[FILE_BYTES];
    private NewestBatch newest;

    @BeforeEach
    void write() throws IOException {
        simulated.createDirectory(DIRECTORY);
        byte[] batch = new byte[BATCH_BYTES];
        Arrays.fill(batch, (byte) 7);
        System.arraycopy(batch, 0, onDisk, POSITION, BATCH_BYTES);
        newest = new NewestBatch(FILE, POSITION, batch);
        simulated.open(FILE, OpenMode.CREATE_NEW).close();
        simulated.forceDirectory(DIRECTORY.getParent());
        simulated.forceDirectory(DIRECTORY);
        show(onDisk);
    }

    private void show(byte[] bytes) throws IOException {
        try (DiskFile file = simulated.open(FILE, OpenMode.READ_WRITE)) {
            file.writeFully(ByteBuffer.wrap(bytes), 0);
            file.force();
        }
    }

    private void bringToDisk(String io) throws IOException {
        LogIo way = LogIo.find(io, disk, DIRECTORY).io().orElseThrow();
        disk.clearLog();
        newest.bringToDisk(way);
    }

    /** A force that has failed leaves pages that look like this. */
    @Test
    void throughThePageCacheItIsWrittenAgainWhateverIsSeen() throws IOException {
        bringToDisk(LogIo.CHANNEL);

        assertThat(disk.count(DiskOperation.WRITE)).isEqualTo(2);
        assertThat(disk.count(DiskOperation.FORCE)).isEqualTo(1);
        assertThat(simulated.contents(FILE)).isEqualTo(onDisk);
    }

    @Test
    void pastThePageCacheItIsLeftAloneIfTheDiskHasIt() throws IOException {
        bringToDisk(LogIo.DIRECT);

        assertThat(disk.count(DiskOperation.WRITE)).isZero();
        assertThat(disk.count(DiskOperation.FORCE)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {POSITION, POSITION + BATCH_BYTES / 2, POSITION + BATCH_BYTES - 1})
    void pastThePageCacheItIsWrittenIfTheDiskHasOtherBytes(int at) throws IOException {
        byte[] other = onDisk.clone();
        other[at] = 8;
        show(other);

        bringToDisk(LogIo.DIRECT);

        assertThat(disk.count(DiskOperation.WRITE)).isEqualTo(2);
        assertThat(simulated.crash(0).contents(FILE)).isEqualTo(onDisk);
    }

    @ParameterizedTest
    @ValueSource(strings = {LogIo.CHANNEL, LogIo.DIRECT})
    void whatACrashHasTornBehindItIsCleared(String io) throws IOException {
        byte[] torn = onDisk.clone();
        torn[POSITION + BATCH_BYTES + 30_000] = 9;
        show(torn);

        bringToDisk(io);

        assertThat(simulated.crash(0).contents(FILE)).isEqualTo(onDisk);
    }

    @Test
    void anErrorIsTold() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.FORCE).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> bringToDisk(LogIo.CHANNEL)).isInstanceOf(IOException.class);
    }
}
