package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Reading ahead hides no failure, and is over when it is closed. */
class ReadAheadTest {
    private static final Path FILE = Path.of("/segment-000001.log");
    private static final int LONG = 3 * ReadAhead.CHUNK_BYTES + 1;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());

    @Test
    void aFailedReadIsTold() throws IOException {
        try (DiskFile file = fileOf(LONG);
                ReadAhead ahead = new ReadAhead()) {
            disk.inject(
                    DiskFault.in(DiskOperation.READ).failingWith(DiskFault.EIO).forEver());
            ahead.begin(file, LONG);
            assertThatThrownBy(ahead::await).isInstanceOf(IOException.class).hasMessageContaining("Input/output error");
        }
    }

    @Test
    void nothingIsReadOfAFileThatIsReadAtOnceAnyway() throws IOException {
        try (DiskFile file = fileOf(ReadAhead.CHUNK_BYTES);
                ReadAhead ahead = new ReadAhead()) {
            disk.inject(
                    DiskFault.in(DiskOperation.READ).failingWith(DiskFault.EIO).forEver());
            ahead.begin(file, ReadAhead.CHUNK_BYTES);
            assertThatCode(ahead::await).doesNotThrowAnyException();
        }
    }

    @Test
    void closingWaitsForTheReaderAndTellsNothing() throws IOException {
        try (DiskFile file = fileOf(LONG)) {
            ReadAhead ahead = new ReadAhead();
            ahead.begin(file, LONG);
            disk.inject(
                    DiskFault.in(DiskOperation.READ).failingWith(DiskFault.EIO).forEver());
            assertThatCode(ahead::close).doesNotThrowAnyException();
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("tallystick-read-ahead"))
                .allSatisfy(thread -> thread.join(10_000))
                .noneMatch(Thread::isAlive);
    }

    private DiskFile fileOf(int bytes) throws IOException {
        DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW);
        file.writeFully(ByteBuffer.allocate(bytes), 0);
        return file;
    }
}
