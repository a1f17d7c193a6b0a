package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.FILE_BYTES;
import static io.tallystick.store.journal.artemis.ArtemisFixture.STORE_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The files that the journal knows, and what it may see of them. */
class DiskFileFactoryTest {
    private ArtemisFixture fixture;
    private DiskFileFactory factory;

    @BeforeEach
    void make() throws IOException {
        fixture = new ArtemisFixture();
        factory = fixture.factory;
    }

    private boolean exists(String name) throws IOException {
        return fixture.simulated.kindOf(DIRECTORY.resolve(name)) != Disk.PathKind.MISSING;
    }

    private static FileScan scan(String name, FileHeader header) {
        return new FileScan(
                DIRECTORY.resolve(name),
                Optional.ofNullable(header),
                5000,
                20,
                Map.of(),
                0,
                0,
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                20);
    }

    @Test
    void aFailedStoreMakesUsesAndDeletesNoFile() {
        assertThatCode(factory::checkStillOurs).doesNotThrowAnyException();

        factory.askBeforeNames(() -> true);

        assertThatThrownBy(factory::checkStillOurs)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("directory=" + DIRECTORY)
                .hasMessageContaining("the store has failed");
    }

    @Test
    void batchesBeginBehindTheHeader() {
        assertThat(factory.blockStart(0)).isEqualTo(ArtemisFormat.DATA_OFFSET);
        assertThat(factory.blockStart(5001)).isEqualTo(5001);
        assertThat(factory.usableBytes()).isEqualTo(FILE_BYTES - ArtemisFormat.DATA_OFFSET);
    }

    @Test
    void whileItLoadsTheJournalSeesTheBatchesThatCount() {
        FileScan counts = scan("tallystick-1.jnl", new FileHeader(7, 0, 0, FILE_BYTES));
        FileScan leftOver = scan("tallystick-2.jnl", new FileHeader(8, 0, 0, FILE_BYTES));
        FileScan headless = scan("tallystick-3.jnl", null);
        DataFile batches = new DataFile(7, 20);

        factory.beginLoading(List.of(counts, leftOver, headless), Map.of(7L, batches));

        assertThat(factory.isLoading()).isTrue();
        assertThat(factory.shownBytes("tallystick-1.jnl")).isEqualTo(5000);
        for (String other : List.of("tallystick-2.jnl", "tallystick-3.jnl", "tallystick-4.jnl")) {
            assertThat(factory.shownBytes(other)).as(other).isEqualTo(ArtemisFormat.DATA_OFFSET);
        }
        assertThat(((DiskSequentialFile) factory.createSequentialFile("tallystick-2.jnl")).fileId())
                .isEqualTo(8);
        assertThat(batches.pathOrNull()).isNull();
        factory.createSequentialFile("tallystick-1.jnl");
        assertThat(batches.pathOrNull()).isEqualTo(DIRECTORY.resolve("tallystick-1.jnl"));
    }

    @Test
    void afterLoadingNothingIsLeftOfTheScans() {
        factory.beginLoading(
                List.of(scan("tallystick-1.jnl", new FileHeader(7, 0, 0, FILE_BYTES))),
                Map.of(7L, new DataFile(7, 20)));

        factory.endLoading();

        assertThat(factory.isLoading()).isFalse();
        assertThat(factory.shownBytes("tallystick-1.jnl")).isEqualTo(ArtemisFormat.DATA_OFFSET);
        assertThat(((DiskSequentialFile) factory.createSequentialFile("tallystick-1.jnl")).fileId())
                .isZero();
    }

    @Test
    void filesAreListedByTheirKind() throws IOException {
        for (String name : List.of("tallystick-1.jnl", "tallystick-2.jnl.tmp", "other-1.jnl", "journal.ready")) {
            fixture.simulated.open(DIRECTORY.resolve(name), OpenMode.CREATE_NEW).close();
        }

        assertThat(factory.listFiles(ArtemisFormat.EXTENSION)).containsExactly("tallystick-1.jnl");
        assertThat(factory.listFiles(ArtemisFormat.UNFINISHED_EXTENSION)).containsExactly("tallystick-2.jnl.tmp");
        assertThat(factory.listFiles("cmp")).isEmpty();
    }

    @Test
    void aFileThatWasBegunIsDeletedUnlessItWasFinished() throws IOException {
        DiskSequentialFile begun = new DiskSequentialFile(factory, "tallystick-1.jnl.tmp");
        begun.open(1, false);
        DiskSequentialFile finished = new DiskSequentialFile(factory, "tallystick-2.jnl.tmp");
        finished.open(1, false);
        finished.renameTo("tallystick-2.jnl");

        factory.deleteUnfinished();

        assertThat(exists("tallystick-1.jnl.tmp")).isFalse();
        assertThat(exists("tallystick-2.jnl")).isTrue();
    }

    @Test
    void filesThatTheJournalHasForgottenAreClosedToo() throws IOException {
        DiskSequentialFile file = new DiskSequentialFile(factory, "tallystick-1.jnl");
        file.open(1, false);
        assertThat(file.isOpen()).isTrue();

        factory.closeAll();

        assertThat(file.isOpen()).isFalse();
    }

    @Test
    void theOldestSpareFileTellsOfTheLastBatch() throws IOException {
        DiskSequentialFile older = spare(1, 5);
        spare(2, 6);
        factory.durable(77);

        factory.markOldestSpare();

        assertThat(header(1).sequence()).isEqualTo(77);
        assertThat(header(2).sequence()).isZero();
        factory.isNoSpare(older);
        factory.markOldestSpare();
        assertThat(header(2).sequence()).isEqualTo(77);
    }

    private DiskSequentialFile spare(int number, long fileId) throws IOException {
        FileHeader header = new FileHeader(fileId, 0, 0, FILE_BYTES);
        Path path = ArtemisFixture.file(number);
        new JournalFileBytes(header, STORE_ID).writeTo(fixture.simulated, path);
        DiskSequentialFile file =
                new DiskSequentialFile(factory, path.getFileName().toString());
        file.found(header, null);
        factory.becameSpare(file);
        return file;
    }

    private FileHeader header(int number) throws IOException {
        return FileHeader.decode(ByteBuffer.wrap(fixture.simulated.contents(ArtemisFixture.file(number))));
    }
}
