package io.tallystick.testkit.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.testkit.Threads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultInjectingDiskTest {
    private static final Path LOG = Path.of("/log");
    private static final Path OTHER = Path.of("/other");

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);

    private DiskFile log;
    private DiskFile other;

    @BeforeEach
    void openFiles() throws IOException {
        log = disk.open(LOG, OpenMode.CREATE_NEW);
        other = disk.open(OTHER, OpenMode.CREATE_NEW);
        disk.clearLog();
    }

    @Test
    void nothingGoesWrongByItself() throws IOException {
        write(log, "content");
        log.force();

        assertThat(contents(LOG)).isEqualTo("content");
        assertThat(disk.struck()).isZero();
    }

    @Test
    void nthOperationFailsOnceWithoutBeingDone() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.WRITE).at(2).failingWith(DiskFault.EIO));
        write(log, "1");

        assertThatThrownBy(() -> write(log, "2"))
                .isInstanceOf(IOException.class)
                .hasMessage("/log: Input/output error");
        assertThat(contents(LOG)).isEqualTo("1");
        write(log, "3");
        assertThat(contents(LOG)).isEqualTo("3");
        assertThat(disk.struck()).isEqualTo(1);
    }

    @Test
    void aGlanceAtALockIsALockOperationWhereTheFileExists() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.LOCK).at(2).failingWith(DiskFault.EIO));

        assertThat(disk.isLocked(Path.of("/missing"))).isFalse();
        assertThat(disk.isLocked(LOG)).isFalse();
        assertThatThrownBy(() -> disk.isLocked(LOG)).hasMessage("/log: Input/output error");
        assertThat(disk.count(DiskOperation.LOCK)).isEqualTo(2);
    }

    @Test
    void faultForEverIsForEverUntilItIsCleared() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.FORCE).at(2).forEver().failingWith(DiskFault.ENOSPC));
        log.force();

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(log::force).hasMessageContaining("No space left on device");
        }
        disk.clearFaults();
        assertThatCode(log::force).doesNotThrowAnyException();
    }

    @Test
    void onlyOperationsOnChosenFilesAreCountedAndFail() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.WRITE).onFiles(LOG::equals).at(2).failingWith(DiskFault.EIO));
        write(log, "1");
        write(other, "a");
        write(other, "b");

        assertThatThrownBy(() -> write(log, "2")).isInstanceOf(IOException.class);
    }

    @Test
    void operationMayFailAfterItWasDone() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.WRITE).failingAfterwardsWith(DiskFault.EIO));
        ByteBuffer source = ByteBuffer.wrap("done".getBytes(UTF_8));

        assertThatThrownBy(() -> log.write(source, 0)).isInstanceOf(IOException.class);
        assertThat(contents(LOG)).isEqualTo("done");
        assertThat(source.remaining()).isEqualTo(4);
    }

    @Test
    void shortWriteTakesSomeAndSaysSo() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.WRITE).taking(3));
        ByteBuffer source = ByteBuffer.wrap("content".getBytes(UTF_8));

        assertThat(log.write(source, 0)).isEqualTo(3);
        assertThat(source.remaining()).isEqualTo(4);
        log.writeFully(source, 3);
        assertThat(contents(LOG)).isEqualTo("content");
    }

    @Test
    void lyingDiskSaysDoneAndDoesNothing() throws IOException {
        write(log, "content");
        disk.inject(DiskFault.in(DiskOperation.FORCE).lying());
        disk.inject(DiskFault.in(DiskOperation.WRITE).onFiles(OTHER::equals).lying());
        log.force();
        write(other, "content");

        assertThat(contents(OTHER)).isEmpty();
        assertThat(simulated.crash(2).contents(LOG)).isEmpty();
    }

    @Test
    void stalledOperationWaitsForTheTest() {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE).stallingAt(stall));
        assertThat(stall.isReached()).isFalse();
        Threads.run(2, thread -> {
            if (thread == 0) {
                log.force();
                return;
            }
            stall.awaitReached();
            assertThat(disk.count(DiskOperation.FORCE)).as("ended").isZero();
            write(other, "others go on");
            stall.release();
        });

        assertThat(disk.count(DiskOperation.FORCE)).isEqualTo(1);
    }

    @Test
    void interruptNeitherEndsAStallNorIsLost() {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE).stallingAt(stall));
        Threads.run(2, thread -> {
            if (thread == 0) {
                Thread.currentThread().interrupt();
                log.force();
                assertThat(Thread.interrupted()).isTrue();
                return;
            }
            stall.awaitReached();
            stall.release();
        });
    }

    @Test
    void actionRunsBeforeTheOperation() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.FORCE).preceding(simulated::failNextForce));

        assertThatThrownBy(log::force).hasMessageContaining(DiskFault.EIO);
        assertThatCode(log::force).doesNotThrowAnyException();
    }

    @Test
    void actionRunsAfterTheOperationAndBeforeItReturns() throws IOException {
        Path renamed = Path.of("/renamed");
        List<Path> seen = new ArrayList<>();
        disk.inject(DiskFault.in(DiskOperation.RENAME).following(() -> {
            try {
                seen.addAll(simulated.list(renamed.getParent()));
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }));

        disk.rename(LOG, renamed);

        assertThat(seen).contains(renamed).doesNotContain(LOG);
    }

    @Test
    void firstInjectedFaultWinsAndTheOtherWaits() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.WRITE).failingWith("first"));
        disk.inject(DiskFault.in(DiskOperation.WRITE).at(2).failingWith("second"));

        assertThatThrownBy(() -> write(log, "1")).hasMessageContaining("first");
        assertThatThrownBy(() -> write(log, "2")).hasMessageContaining("second");
        write(log, "3");
    }

    @Test
    void logTellsWhatHappenedAndHowItEnded() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.FORCE).failingWith(DiskFault.EIO));
        log.writeFully(ByteBuffer.wrap(new byte[10]), 5);
        assertThatThrownBy(log::force).isInstanceOf(IOException.class);
        disk.rename(OTHER, Path.of("/renamed"));
        assertThatThrownBy(() -> disk.delete(OTHER)).isInstanceOf(NoSuchFileException.class);

        assertThat(disk.log())
                .extracting(DiskEvent::toString)
                .containsExactly(
                        "write file=/log position=5 length=10 done",
                        "force file=/log threw /log: Input/output error",
                        "rename file=/other done",
                        "delete file=/other threw /other");
        assertThat(disk.count(DiskOperation.DELETE, OTHER::equals)).isEqualTo(1);
        assertThat(disk.count(DiskOperation.DELETE, LOG::equals)).isZero();
    }

    @Test
    void writeThatIsGivenUpLandsLaterAlthoughItsFileWasClosed() throws IOException {
        LateWrite late = LateWrite.forgotten();
        disk.inject(DiskFault.in(DiskOperation.WRITE).givenUpAs(late));

        assertThat(late.file()).isEmpty();
        assertThatThrownBy(() -> write(log, "late")).hasMessageContaining("may land later");
        assertThat(late.file()).contains(LOG);
        write(log, "next");
        log.close();
        assertThat(contents(LOG)).isEqualTo("next");

        late.land();
        assertThat(contents(LOG)).isEqualTo("late");
        late.land();
    }

    @Test
    void writeThatIsGivenUpKeepsTheBytesOfItsCallersBuffer() throws IOException {
        LateWrite late = LateWrite.forgotten();
        disk.inject(DiskFault.in(DiskOperation.WRITE).givenUpAs(late));
        ByteBuffer source = ByteBuffer.wrap("late".getBytes(UTF_8));

        assertThatThrownBy(() -> log.write(source, 0)).isInstanceOf(IOException.class);
        source.put(0, (byte) 'x');
        late.land();

        assertThat(contents(LOG)).isEqualTo("late");
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfOperationCanFail(DiskOperation operation) throws IOException {
        disk.inject(DiskFault.in(operation).failingWith("injected"));

        assertThatThrownBy(() -> perform(operation))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("injected");
        perform(operation);
        assertThat(disk.count(operation)).isEqualTo(2);
    }

    private void perform(DiskOperation operation) throws IOException {
        switch (operation) {
            case OPEN -> disk.open(LOG, OpenMode.READ).close();
            case READ -> log.read(ByteBuffer.allocate(1), 0);
            case WRITE -> write(log, "x");
            case FORCE -> log.force();
            case TRUNCATE -> log.truncate(0);
            case CREATE_DIRECTORY -> disk.createDirectory(Path.of("/directory"));
            case RENAME -> disk.rename(LOG, Path.of("/renamed"));
            case DELETE -> disk.delete(LOG);
            case LIST -> disk.list(Path.of("/"));
            case FORCE_DIRECTORY -> disk.forceDirectory(Path.of("/"));
            case LOCK -> disk.tryLock(LOG);
        }
    }

    @Test
    void faultsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> DiskFault.in(DiskOperation.FORCE).taking(1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DiskFault.in(DiskOperation.FORCE).givenUpAs(LateWrite.forgotten()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DiskFault.in(DiskOperation.OPEN).lying()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DiskFault.in(DiskOperation.FORCE).at(0)).isInstanceOf(IllegalArgumentException.class);
    }

    private String contents(Path file) throws IOException {
        return new String(simulated.contents(file), UTF_8);
    }

    private static void write(DiskFile file, String content) throws IOException {
        file.writeFully(ByteBuffer.wrap(content.getBytes(UTF_8)), 0);
    }
}
