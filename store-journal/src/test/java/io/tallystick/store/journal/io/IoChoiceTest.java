package io.tallystick.store.journal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskPlace;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The way to the disk is remembered, and tried again for good reasons only. */
class IoChoiceTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FILE = DIRECTORY.resolve("tallystick.io");
    private static final List<String> WAYS = List.of(LogIo.CHANNEL, LogIo.DIRECT);
    private static final DiskPlace PLACE = new DiskPlace("/dev/a write back", "ext4", "rw,relatime", "42", "0d9f4c0e");

    private final Logger logger = Logger.getLogger(IoChoice.class.getName());
    private final List<String> told = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            told.add(record.getLevel() + " " + record.getMessage());
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // nothing is open
        }
    };

    private SimulatedDisk simulated = new SimulatedDisk();
    private FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private DiskPlace place = PLACE;
    private String refused = "";

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        simulated.createDirectory(DIRECTORY.getParent());
        simulated.createDirectory(DIRECTORY);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    @Test
    void aRememberedWayIsTakenWithoutAWrite() throws IOException {
        assertThat(choose().name()).isEqualTo(LogIo.DIRECT);
        disk.clearLog();

        LogIo again = choose();

        assertThat(again.name()).isEqualTo(LogIo.DIRECT);
        assertThat(again.trial().remark()).isEqualTo("50 us a write in its trial");
        assertThat(disk.log()).allSatisfy(event -> assertThat(event.operation())
                .isIn(DiskOperation.LIST, DiskOperation.OPEN, DiskOperation.READ));
        assertThat(disk.count(DiskOperation.OPEN)).isOne();
        assertThat(told).isEmpty();
    }

    @Test
    void aRememberedWayStaysWhereATrialWouldTakeAnother() throws IOException {
        choose();
        for (int opening = 0; opening < 200; opening++) {
            assertThat(choose(LogIo.AUTO, WAYS, () -> 0).io().name()).isEqualTo(LogIo.DIRECT);
        }
    }

    /** A part of the place, and another value of it. */
    enum Part {
        DEVICE(now -> new DiskPlace("/dev/b", now.fileSystem(), now.options(), now.directory(), now.machine())),
        FILESYSTEM(now -> new DiskPlace(now.device(), "xfs", now.options(), now.directory(), now.machine())),
        OPTIONS(now -> new DiskPlace(now.device(), now.fileSystem(), "rw", now.directory(), now.machine())),
        DIRECTORY(now -> new DiskPlace(now.device(), now.fileSystem(), now.options(), "43", now.machine())),
        MACHINE(now -> new DiskPlace(now.device(), now.fileSystem(), now.options(), now.directory(), ""));

        private final UnaryOperator<DiskPlace> change;

        Part(UnaryOperator<DiskPlace> change) {
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource(Part.class)
    void atAnotherPlaceTheWaysAreTriedAgain(Part part) throws IOException {
        choose();
        place = part.change.apply(PLACE);

        assertTriedAgain(part.name().toLowerCase(Locale.ROOT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"os.name", "os.version", "os.arch", "java.vm.vendor", "java.vm.version"})
    void afterAnUpdateOfTheKernelOrTheJdkTheWaysAreTriedAgain(String property) throws IOException {
        Properties earlier = new Properties();
        earlier.putAll(System.getProperties());
        earlier.setProperty(property, "1.0");
        new RememberedIo(LogIo.DIRECT, 50, TrialConditions.of(WAYS, PLACE, earlier)).writeTo(DIRECTORY, simulated);

        assertTriedAgain(property.startsWith("os.") ? "kernel" : "jdk");
    }

    @Test
    void whereAWayComesOrGoesTheWaysAreTriedAgain() throws IOException {
        new RememberedIo(LogIo.DIRECT, 50, TrialConditions.of(List.of(LogIo.DIRECT), PLACE, System.getProperties()))
                .writeTo(DIRECTORY, simulated);

        assertTriedAgain("ways");
    }

    @Test
    void onRequestTheWaysAreTriedAgain() throws IOException {
        choose();
        assertThat(RememberedIo.forget(DIRECTORY, disk)).isTrue();
        assertThat(RememberedIo.forget(DIRECTORY, disk)).isFalse();

        assertTriedAgain("");
    }

    @Test
    void aChangedByteAnywhereInTheFileIsNoObstacle() throws IOException {
        choose();
        byte[] sound = simulated.contents(FILE);
        for (int at = 0; at < sound.length; at++) {
            byte[] damaged = sound.clone();
            damaged[at] ^= 1;
            simulated.replaceContents(FILE, damaged);
            told.clear();

            assertThat(choose(LogIo.AUTO, WAYS, () -> 0).io().name())
                    .as("byte %d", at)
                    .isEqualTo(LogIo.CHANNEL);
            assertThat(told).singleElement().asString().startsWith("WARNING TALLY0304 file=" + FILE);
        }
    }

    @Test
    void aFileOfAnyLengthIsNoObstacle() throws IOException {
        choose();
        byte[] sound = simulated.contents(FILE);
        for (int length = 0; length <= 4096; length += 7) {
            simulated.replaceContents(FILE, Arrays.copyOf(sound, length));
            assertThat(choose(LogIo.AUTO, WAYS, () -> 0).io().name()).isEqualTo(LogIo.CHANNEL);
        }
    }

    @Test
    void aFileOfANewerLibraryIsNoObstacle() throws IOException {
        choose();
        simulated.replaceContents(FILE, "tallystick-io 2\nany=thing\n".getBytes(StandardCharsets.US_ASCII));

        assertThat(choose(LogIo.AUTO, WAYS, () -> 0).io().name()).isEqualTo(LogIo.CHANNEL);
        assertThat(told).singleElement().asString().contains("TALLY0304", "newer library");
    }

    @Test
    void aFileThatMustNotBeReadIsNoObstacle() throws IOException {
        choose();
        simulated.denyAccess(FILE);

        assertThat(choose(LogIo.AUTO, WAYS, () -> 0).io().name()).isEqualTo(LogIo.CHANNEL);
        assertThat(told).first().asString().contains("TALLY0304", "cannot be used");
    }

    @Test
    void aDirectoryInThePlaceOfTheFileIsNoObstacle() throws IOException {
        simulated.createDirectory(FILE);

        assertThat(choose().name()).isEqualTo(LogIo.DIRECT);
        assertThat(told).last().asString().contains("TALLY0304", "cannot be written");
    }

    @ParameterizedTest
    @EnumSource(
            value = DiskOperation.class,
            names = {"OPEN", "WRITE", "FORCE", "RENAME", "DELETE"})
    void aMemoryThatCannotBeWrittenIsNoObstacle(DiskOperation operation) throws IOException {
        disk.inject(DiskFault.in(operation)
                .onFiles(file -> file.toString().startsWith(FILE.toString()))
                .forEver()
                .failingWith("no space left on device"));
        assertThat(choose().name()).isEqualTo(LogIo.DIRECT);
        if (operation != DiskOperation.DELETE) {
            assertThat(told).last().asString().contains("TALLY0304", "cannot be written");
        }
        disk.clearFaults();

        assertThat(choose().name()).isEqualTo(LogIo.DIRECT);
        assertThat(simulated.kindOf(FILE)).isEqualTo(Disk.PathKind.FILE);
        assertThat(simulated.list(DIRECTORY)).hasSize(1);
    }

    @Test
    void aFullDiskIsNoReasonToForgetNorToRemember() throws IOException {
        choose();
        simulated.setCapacity(1);
        assertThat(choose().name()).isEqualTo(LogIo.DIRECT);

        RememberedIo.forget(DIRECTORY, disk);
        assertThat(choose().name()).isEqualTo(LogIo.CHANNEL);
        assertThat(simulated.kindOf(FILE)).isEqualTo(Disk.PathKind.MISSING);
    }

    @Test
    void aCrashAtAnyMomentOfATrialIsNoObstacle() throws IOException {
        boolean crashed = true;
        for (long operation = 1; crashed; operation++) {
            use(new SimulatedDisk());
            makeDirectory();
            simulated.forceDirectory(DIRECTORY.getRoot());
            simulated.forceDirectory(DIRECTORY.getParent());
            simulated.crashAt(simulated.operations() + operation);
            try {
                choose();
            } catch (IOException dead) {
                // The next opening finds what the disk has kept.
            }
            crashed = simulated.crashedDuring().isPresent();
            use(simulated.crash(operation));

            assertThat(choose().name()).as("crash at operation %d", operation).isEqualTo(LogIo.DIRECT);
            assertThat(simulated.list(DIRECTORY)).containsExactly(FILE);
        }
    }

    @Test
    void aRememberedWayThatIsRefusedIsReplacedForThisOpeningOnly() throws IOException {
        choose();
        refused = "no such way";

        assertThat(choose().name()).isEqualTo(LogIo.CHANNEL);
        assertThat(told)
                .singleElement()
                .asString()
                .startsWith("WARNING TALLY0303 directory=" + DIRECTORY)
                .contains("direct, fails", "no such way", "the store uses channel");
        assertThat(simulated.kindOf(FILE)).isEqualTo(Disk.PathKind.MISSING);

        refused = "";
        assertThat(choose().name()).isEqualTo(LogIo.DIRECT);
        assertThat(simulated.kindOf(FILE)).isEqualTo(Disk.PathKind.FILE);
    }

    @Test
    void whereNoOtherWayWorksARememberedWayThatIsRefusedRefusesTheOpening() throws IOException {
        List<String> only = List.of(LogIo.DIRECT);
        choose(LogIo.AUTO, only, timeOfOperations());
        refused = "no such way";

        assertThatThrownBy(() -> choose(LogIo.AUTO, only, timeOfOperations()))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("no way to write durably works");
    }

    @Test
    void aWayThatIsAskedForByNameLeavesTheMemoryAlone() throws IOException {
        choose();
        simulated.replaceContents(FILE, new byte[] {1});

        for (String asked : WAYS) {
            assertThat(choose(asked, WAYS, timeOfOperations()).io().name()).isEqualTo(asked);
        }
        assertThat(simulated.contents(FILE)).containsExactly(1);
        assertThat(told).isEmpty();
    }

    @Test
    void eachStoreHasAMemoryOfItsOwn() throws IOException {
        Path other = DIRECTORY.resolveSibling("other");
        simulated.createDirectory(other);
        choose();
        IoChoice.make(LogIo.AUTO, WAYS, placed(), other, () -> 0);

        assertThat(choose(LogIo.AUTO, WAYS, () -> 0).io().name()).isEqualTo(LogIo.DIRECT);
        assertThat(IoChoice.make(LogIo.AUTO, WAYS, placed(), other, timeOfOperations())
                        .io()
                        .name())
                .isEqualTo(LogIo.CHANNEL);
    }

    @Test
    void aHandlerOfTheUserThatThrowsIsNoObstacle() throws IOException {
        simulated.createDirectory(FILE);
        Handler thrower = new Handler() {
            @Override
            public void publish(LogRecord record) {
                throw new IllegalStateException("thrown by the test");
            }

            @Override
            public void flush() {
                // nothing is kept back
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
        logger.addHandler(thrower);
        try {
            assertThatCode(this::choose).doesNotThrowAnyException();
        } finally {
            logger.removeHandler(thrower);
        }
    }

    /** The ways take the same time now, so a trial takes the first one, and the memory says the second. */
    private void assertTriedAgain(String because) throws IOException {
        LogIo again = choose(LogIo.AUTO, WAYS, () -> 0).io();

        assertThat(again.name()).isEqualTo(LogIo.CHANNEL);
        if (!because.isEmpty()) {
            assertThat(again.trial().details()).startsWith("tried again because " + because + " was '");
        }
        assertThat(told).isEmpty();
        assertThat(choose().name()).as("remembered anew").isEqualTo(LogIo.CHANNEL);
    }

    private void use(SimulatedDisk other) {
        simulated = other;
        disk = new FaultInjectingDisk(other);
    }

    private LogIo choose() throws IOException {
        return choose(LogIo.AUTO, WAYS, timeOfOperations()).io();
    }

    private IoChoice choose(String wanted, List<String> supported, NanoClock clock) throws IOException {
        return IoChoice.make(wanted, supported, placed(), DIRECTORY, clock);
    }

    /** A durable write is one operation directly, and two through the page cache. */
    private NanoClock timeOfOperations() {
        return () -> simulated.operations() * 50_000;
    }

    private Disk placed() {
        return new ForwardingDisk(disk) {
            @Override
            public DiskPlace placeOf(Path directory) {
                return place;
            }

            @Override
            public int directAlignment(Path directory) throws IOException {
                if (!refused.isEmpty()) {
                    throw new IOException(refused);
                }
                return super.directAlignment(directory);
            }
        };
    }
}
