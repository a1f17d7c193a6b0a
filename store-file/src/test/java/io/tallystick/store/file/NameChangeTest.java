package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.file.NameChange.EarlyRetire;
import io.tallystick.store.file.NameChange.Install;
import io.tallystick.store.file.NameChange.Retire;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NameChangeTest {
    private static final Path DIRECTORY = Path.of("/type");
    private static final Path STATE = DIRECTORY.resolve("0a.state");
    private static final StateImage IMAGE = StateImage.ABSENT.write(new byte[1]);

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final OpenFileWatch watch = new OpenFileWatch(disk);
    private final OpenFiles openFiles = new OpenFiles();
    private final StoreContext context = new StoreContext(
            disk, NanoClock.SYSTEM, new FailStop(DIRECTORY, StoreEvents.NONE), new StatisticsRecorder(), openFiles);
    private final TypeDirectory type =
            new TypeDirectory("/type", DIRECTORY, new SpareFiles(DIRECTORY, new AtomicLong(), openFiles));

    @BeforeEach
    void createDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
    }

    @Test
    void anInstalledFileHasTheKeysNameAndReadersFindItThere() throws IOException {
        WrittenFile written = written();
        Install install = new Install(type, STATE, StoredState.NOTHING, written, false);
        assertThat(written.stored().elsewhere().path()).isEqualTo(written.path());
        assertThat(install.mayBeSeen()).isFalse();

        assertThat(install.apply(disk)).isTrue();

        assertThat(disk.list(DIRECTORY)).containsExactly(STATE);
        assertThat(written.stored().elsewhere()).isNull();
        assertThat(install.mayBeSeen()).isTrue();
    }

    @Test
    void aDeferredFileIsForcedBeforeItGetsItsName() throws IOException {
        Install install = new Install(type, STATE, StoredState.NOTHING, written(), true);

        install.prepare();
        install.apply(disk);

        assertThat(disk.count(DiskOperation.FORCE)).isEqualTo(1);
        assertThat(disk.log()).last().matches(event -> event.operation() == DiskOperation.RENAME);
    }

    @Test
    void aFileThatTheDirectoryHasNoRoomForIsRefusedAndDropped() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.ENOSPC));
        WrittenFile written = written();
        Install install = new Install(type, STATE, StoredState.NOTHING, written, false);

        assertThat(install.apply(disk)).isFalse();

        assertThat(install.refusal()).hasMessageContaining(STATE.toString());
        assertThat(disk.list(DIRECTORY)).isEmpty();
        assertThat(watch.open()).isEmpty();
    }

    /** Its caller has gone, so the directory makes room by giving up its spare files. */
    @Test
    void aDeferredFileThatTheDirectoryHasNoRoomForTakesThePlaceOfASpareFile() throws IOException {
        Path spare = type.spares().newPath();
        type.spares().reserve();
        type.spares().offer(spare, watch.disk().open(spare, OpenMode.CREATE_NEW));
        disk.inject(DiskFault.in(DiskOperation.RENAME).at(1).failingWith(DiskFault.ENOSPC));

        assertThat(new Install(type, STATE, StoredState.NOTHING, written(), true).apply(disk))
                .isTrue();

        assertThat(disk.list(DIRECTORY)).containsExactly(STATE);
    }

    @Test
    void anErrorThatIsNoShortageOfRoomIsNotARefusal() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.EIO));
        Install install = new Install(type, STATE, StoredState.NOTHING, written(), false);

        assertThatThrownBy(() -> install.apply(disk)).isInstanceOf(IOException.class);

        assertThat(install.mayBeSeen()).isTrue();
    }

    @Test
    void aRemovedFileIsASpareFileWhenItsRemovalIsOnDisk() throws IOException {
        createState();
        Retire retire = new Retire(type, STATE, StoredState.inFile(IMAGE), true, false);
        retire.apply(disk);
        assertThat(disk.list(DIRECTORY)).hasSize(1).doesNotContain(STATE);
        assertThat(type.spares().poll()).isNull();

        retire.onDisk();

        assertThat(disk.list(DIRECTORY)).containsExactly(type.spares().poll().path());
    }

    @Test
    void aFileOfAnotherSizeIsDeleted() throws IOException {
        createState();

        new Retire(type, STATE, StoredState.inFile(IMAGE), false, false).apply(disk);

        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void aRemovalOnAFullDiskDeletesTheFile() throws IOException {
        createState();
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.ENOSPC));

        assertThat(new Retire(type, STATE, StoredState.inFile(IMAGE), true, false).apply(disk))
                .isTrue();

        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void aFileThatIsReplacedIsClosed() throws IOException {
        Install install = new Install(type, STATE, openState(), written(), false);

        install.apply(disk);

        assertThat(watch.open()).doesNotContain(STATE);
    }

    @Test
    void aDeletedFileIsClosedFirst() throws IOException {
        StoredState open = openState();

        new Retire(type, STATE, open, false, false).apply(disk);

        assertThat(watch.open()).isEmpty();
    }

    @Test
    void aRemovalThatHasNotComeToDiskClosesTheFileOfAFailedStore() throws IOException {
        Retire retire = new Retire(type, STATE, openState(), true, true);
        retire.apply(disk);
        assertThat(watch.open()).isNotEmpty();

        retire.abandon();

        assertThat(watch.open()).isEmpty();
    }

    @Test
    void aWriteThatHasNotComeToDiskLetsTheFileOfAFailedStoreGo() throws IOException {
        WrittenFile written = written();
        Install install = new Install(type, STATE, StoredState.NOTHING, written, true);
        install.prepare();

        install.abandon();

        assertThat(written.stored().takeOpenFile()).isNull();
        assertThat(watch.open()).isEmpty();
    }

    @Test
    void removalsOnAFullDiskUseNoPlaceOfSpareFilesUp() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.RENAME).forEver().failingWith(DiskFault.ENOSPC));
        for (int i = 0; i < SpareFiles.MAX_KEPT; i++) {
            createState();
            new Retire(type, STATE, StoredState.inFile(IMAGE), true, false).apply(disk);
        }

        assertThat(type.spares().reserve()).isTrue();
    }

    @Test
    void aWrittenFileThatCannotBecomeASpareOneIsClosedOnceItIsOnDisk() throws IOException {
        AtomicInteger told = new AtomicInteger();
        StatisticsRecorder telling = new StatisticsRecorder(eventsThatCount(told));
        StoreContext counted = new StoreContext(disk, NanoClock.SYSTEM, context.failStop(), telling, openFiles);
        Path path = type.spares().newPath();
        DiskFile file = watch.disk().open(path, OpenMode.CREATE_NEW);
        WrittenFile written = new WrittenFile(path, file, false, StoredState.inFile(IMAGE), counted);

        assertThat(written.force()).isNull();

        assertThat(watch.open()).isEmpty();
        assertThat(told).hasValue(1);
        assertThat(telling.snapshot().forces()).isEqualTo(1);
    }

    private static StoreEvents eventsThatCount(AtomicInteger succeeded) {
        StoreEvents.Force force = (records, bytes) -> succeeded.incrementAndGet();
        return (StoreEvents) Proxy.newProxyInstance(
                StoreEvents.class.getClassLoader(),
                new Class<?>[] {StoreEvents.class},
                (self, method, arguments) -> method.getName().equals("beginForce") ? force : null);
    }

    /** A state whose file is there and open. */
    private StoredState openState() throws IOException {
        StoredState state = StoredState.inFile(IMAGE);
        state.leftOpen(openFiles.keep(watch.disk().open(STATE, OpenMode.CREATE_NEW)));
        return state;
    }

    @Test
    void readersSeeAnEarlyRemovalFromTheMomentInWhichItIsQueued() {
        StoredState before = StoredState.inFile(IMAGE);
        KeyTicket ticket = KeyTicket.after(KeyTicket.settled(before));
        EarlyRetire retire = new EarlyRetire(type, STATE, before, true, ticket);
        assertThat(ticket.visible()).isSameAs(before);
        assertThat(retire.mayBeSeen()).isFalse();

        retire.queued();

        assertThat(ticket.visible()).isSameAs(StoredState.NOTHING);
        assertThat(retire.mayBeSeen()).isTrue();
        assertThat(retire.isQueued()).isTrue();
    }

    private void createState() throws IOException {
        disk.open(STATE, OpenMode.CREATE_NEW).close();
    }

    private WrittenFile written() throws IOException {
        Path path = type.spares().newPath();
        DiskFile file = watch.disk().open(path, OpenMode.CREATE_NEW);
        StoredState stored = StoredState.inFile(IMAGE, new StoredState.Elsewhere(path, 1));
        return new WrittenFile(path, file, true, stored, context);
    }
}
