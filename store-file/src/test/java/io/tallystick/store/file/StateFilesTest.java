package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.file.format.StateFileEncoder;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file that a round has renamed, while its state still tells the place before. */
class StateFilesTest {
    private static final Path DIRECTORY = Path.of("/type");
    private static final StateKey KEY = StateKey.of("/type", ObjectId.parse("0a"));
    private static final StateImage IMAGE = StateImage.ABSENT.write(new byte[] {1, 2, 3});

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final OpenFiles openFiles = new OpenFiles();
    private final StoreContext context = new StoreContext(
            disk, NanoClock.SYSTEM, new FailStop(DIRECTORY, StoreEvents.NONE), new StatisticsRecorder(), openFiles);
    private final StateFiles files = new StateFiles(context, new StateFileEncoder(new byte[16], 7), 0);
    private final TypeDirectory type =
            new TypeDirectory("/type", DIRECTORY, new SpareFiles(DIRECTORY, new AtomicLong(), openFiles));

    private StoredState renamed;

    @BeforeEach
    void renameTheFileOfAState() throws IOException {
        disk.createDirectory(DIRECTORY);
        WrittenFile written = files.write(type, KEY, IMAGE);
        renamed = written.stored();
        disk.rename(written.path(), type.stateFile(KEY.id()));
    }

    @Test
    void itIsReadUnderItsNewName() {
        assertThat(files.imageOf(type, KEY, renamed).committed()).isEqualTo(IMAGE.committed());
    }

    @Test
    void itIsNotCalledMissingWhenItCannotBeRead() {
        disk.inject(DiskFault.in(DiskOperation.READ)
                .onFiles(file -> file.endsWith("0a.state"))
                .failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> files.imageOf(type, KEY, renamed))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("0a.state")
                .hasMessageContaining("Input/output error");
    }

    /** The write of a deferred state was lost when the force failed, and so did the store. No backup has this state. */
    @Test
    void whatAFailedStoreHasLostBeforeItWasForcedIsNotCalledDamaged() throws IOException {
        StoredState deferred =
                files.write(type, KEY, IMAGE.write(new byte[] {4})).stored();
        disk.open(deferred.elsewhere().path(), OpenMode.READ_WRITE).truncate(0);
        context.failStop().fail("the file could not be forced", new IOException("planted"));

        assertThatThrownBy(() -> files.imageOf(type, KEY, deferred))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining(deferred.elsewhere().path().toString())
                .hasMessageContaining("open it again");
    }

    /** The store has not been told of the loss yet: the next force will tell. */
    @Test
    void whatTheSystemHasLostBeforeItWasForcedIsNotCalledDamaged() throws IOException {
        StoredState deferred =
                files.write(type, KEY, IMAGE.write(new byte[] {4})).stored();
        disk.open(deferred.elsewhere().path(), OpenMode.READ_WRITE).truncate(0);

        assertThatThrownBy(() -> files.imageOf(type, KEY, deferred))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining(deferred.elsewhere().path().toString())
                .hasMessageContaining("open it again");
    }

    @Test
    void aFileWithNeitherNameIsMissing() throws IOException {
        disk.delete(type.stateFile(KEY.id()));

        assertThatThrownBy(() -> files.imageOf(type, KEY, renamed))
                .isInstanceOfSatisfying(CorruptStoreException.class, missing -> assertThat(missing.file())
                        .isEqualTo(renamed.elsewhere().path()));
    }
}
