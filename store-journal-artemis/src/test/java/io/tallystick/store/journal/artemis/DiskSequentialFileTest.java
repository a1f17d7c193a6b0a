package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.FILE_BYTES;
import static io.tallystick.store.journal.artemis.ArtemisFixture.STORE_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file as the journal uses it: made, given a life, filled, and given another life. */
class DiskSequentialFileTest {
    private static final String NAME = "tallystick-1.jnl";

    private final List<String> heard = new ArrayList<>();
    private ArtemisFixture fixture;
    private DiskSequentialFile file;

    @BeforeEach
    void make() throws IOException {
        fixture = new ArtemisFixture();
        fixture.factory.setCriticalErrorListener((failure, message, name) -> heard.add(message));
        file = new DiskSequentialFile(fixture.factory, NAME);
    }

    private void onDisk() throws IOException {
        new JournalFileBytes(new FileHeader(5, 2, 0, FILE_BYTES), STORE_ID)
                .batch(20, 3, JournalFileBytes.image(1, new byte[] {9}))
                .writeTo(fixture.simulated, file.path());
    }

    private static ByteBuffer artemisHeader(long fileId) {
        return ByteBuffer.allocate(JournalImpl.SIZE_HEADER)
                .putInt(JournalImpl.FORMAT_VERSION)
                .putInt(ArtemisFormat.USER_VERSION)
                .putLong(fileId)
                .flip();
    }

    private FileHeader header() throws IOException {
        return FileHeader.decode(ByteBuffer.wrap(fixture.simulated.contents(file.path())));
    }

    @Test
    void whatTheScanFoundIsKnown() {
        DataFile batches = new DataFile(5, 20);

        file.found(new FileHeader(5, 2, 0, FILE_BYTES), batches);

        assertThat(file.fileId()).isEqualTo(5);
        assertThat(batches.pathOrNull()).isEqualTo(DIRECTORY.resolve(NAME));
    }

    @Test
    void aSpareFileThatWasFoundHoldsNothing() {
        file.found(new FileHeader(5, 2, 0, FILE_BYTES), null);

        assertThat(file.fileId()).isEqualTo(5);
    }

    @Test
    void aMissingFileIsMadeAndAnExistingOneIsOpened() throws IOException {
        assertThat(file.exists()).isFalse();
        file.open(1, false);
        file.fill(4096);
        file.close();
        assertThat(file.exists()).isTrue();

        file.open(1, false);

        assertThat(file.size()).isEqualTo(4096);
        assertThat(file.isOpen()).isTrue();
        file.close();
        assertThat(file.isOpen()).isFalse();
    }

    @Test
    void aFailedStoreMakesNoFile() throws IOException {
        fixture.factory.askBeforeNames(() -> true);

        assertThatThrownBy(() -> file.open(1, false)).isInstanceOf(IOException.class);
        assertThat(file.exists()).isFalse();
    }

    @Test
    void aRecordFitsUpToTheEndOfTheFile() throws IOException {
        file.position(ArtemisFormat.DATA_OFFSET);

        assertThat(file.fits(FILE_BYTES - ArtemisFormat.DATA_OFFSET)).isTrue();
        assertThat(file.fits(FILE_BYTES - ArtemisFormat.DATA_OFFSET + 1)).isFalse();
        file.markFull();
        assertThat(file.fits(1)).isFalse();
    }

    @Test
    void aHeaderBeginsALifeAndNamesTheOneBefore() throws IOException {
        onDisk();
        DataFile batches = new DataFile(5, 20);
        fixture.parts.dataFiles().add(batches);
        file.found(new FileHeader(5, 2, 0, FILE_BYTES), batches);
        fixture.factory.durable(33);
        file.open(1, false);

        file.writeDirect(artemisHeader(9), true);

        assertThat(header()).isEqualTo(new FileHeader(9, 5, 33, FILE_BYTES));
        assertThat(file.fileId()).isEqualTo(9);
        assertThat(file.position()).isEqualTo(ArtemisFormat.DATA_OFFSET);
        assertThat(fixture.parts.dataFiles().count()).isZero();
        file.close();
    }

    /** It held no batches, so the proof of the life before that must not be lost. */
    @Test
    void aFileWithoutBatchesGoesOnNamingTheLifeThatHadSome() throws IOException {
        onDisk();
        file.found(new FileHeader(5, 2, 0, FILE_BYTES), null);
        file.open(1, false);

        file.writeDirect(artemisHeader(9), true);

        assertThat(header().replacedId()).isEqualTo(2);
        file.close();
    }

    @Test
    void aHeaderThatIsNotWrittenIsToldToTheListener() throws IOException {
        onDisk();
        file.open(1, false);
        fixture.factory.askBeforeNames(() -> true);

        assertThatThrownBy(() -> file.writeDirect(artemisHeader(9), true)).isInstanceOf(IOException.class);

        assertThat(heard).containsExactly("the header of a file was not written");
        assertThat(header().fileId()).isEqualTo(5);
        file.close();
    }

    @Test
    void onlyHeadersAreWrittenDirectly() throws IOException {
        onDisk();
        file.open(1, false);

        assertThatThrownBy(() -> file.writeDirect(ByteBuffer.allocate(JournalImpl.SIZE_HEADER + 1), true))
                .isInstanceOf(UnsupportedOperationException.class);
        file.position(4096);
        assertThatThrownBy(() -> file.writeDirect(artemisHeader(9), true))
                .isInstanceOf(UnsupportedOperationException.class);
        file.close();
    }

    @Test
    void onlyTheActiveFileTakesRecords() throws IOException {
        assertThatThrownBy(() -> file.write(JournalFileBytes.deletion(1), false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not the active file");

        fixture.factory.activateBuffer(file);
        fixture.factory.batch().begin(100);
        file.write(JournalFileBytes.deletion(1), false);

        assertThat(file.position()).isEqualTo(ArtemisFormat.DELETE_BYTES);
    }

    @Test
    void aBatchThatIsNotWhereTheJournalStandsIsNotWritten() throws IOException {
        onDisk();
        byte[] before = fixture.simulated.contents(file.path());
        file.open();
        file.position(ArtemisFormat.DATA_OFFSET);
        fixture.factory.activateBuffer(file);
        fixture.factory.batch().begin(100);
        file.write(JournalFileBytes.image(1, new byte[40]), false);

        assertThatThrownBy(() -> file.writeBatch(ArtemisFormat.DATA_OFFSET + 1)).isInstanceOf(IOException.class);
        assertThat(fixture.simulated.contents(file.path())).isEqualTo(before);
        file.writeBatch(ArtemisFormat.DATA_OFFSET);
        assertThat(fixture.simulated.contents(file.path())).isNotEqualTo(before);
        file.close();
    }

    @Test
    void aNameThatIsThereAlreadyIsNotTaken() throws IOException {
        fixture.simulated
                .open(DIRECTORY.resolve("tallystick-2.jnl"), OpenMode.CREATE_NEW)
                .close();
        file.open(1, false);

        assertThatThrownBy(() -> file.renameTo("tallystick-2.jnl"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is there already");
        assertThat(file.exists()).isTrue();
        file.close();
    }

    /** The journal forgets it, and its header may be a proof. */
    @Test
    void aSpareFileThatCannotBeOpenedIsRememberedAndNotDeleted() throws IOException {
        onDisk();
        fixture.simulated.denyAccess(file.path());
        file.open();

        assertThatThrownBy(() -> file.position(ArtemisFormat.DATA_OFFSET)).isInstanceOf(IOException.class);

        assertThat(file.isOpen()).isFalse();
        assertThat(file.canBeOpened()).isFalse();
        assertThat(fixture.factory.forgotten()).containsExactly(file);
        fixture.factory.deleteUnfinished();
        assertThat(fixture.simulated.list(DIRECTORY)).contains(file.path());
    }

    @Test
    void whileTheJournalLoadsItSeesNothingBehindTheBatchesThatCount() throws IOException {
        onDisk();
        int end = ArtemisFormat.DATA_OFFSET + ArtemisFormat.batchHeaderBytes(0) + ArtemisFormat.ADD_FRAME_BYTES + 1;
        FileHeader header = new FileHeader(5, 2, 0, FILE_BYTES);
        FileScan scan = new FileScan(
                file.path(),
                Optional.of(header),
                end,
                20,
                Map.of(),
                1,
                0,
                3,
                OptionalLong.empty(),
                OptionalLong.empty(),
                20);
        fixture.factory.beginLoading(List.of(scan), Map.of(5L, new DataFile(5, 20)));
        DiskSequentialFile shown = (DiskSequentialFile) fixture.factory.createSequentialFile(NAME);
        shown.open();
        ByteBuffer bytes = ByteBuffer.allocate(FILE_BYTES);

        assertThat(shown.size()).isEqualTo(end);
        assertThat(shown.read(bytes)).isEqualTo(FILE_BYTES);

        byte[] onDisk = fixture.simulated.contents(file.path());
        assertThat(bytes.slice(ArtemisFormat.DATA_OFFSET, end - ArtemisFormat.DATA_OFFSET))
                .isEqualTo(ByteBuffer.wrap(onDisk, ArtemisFormat.DATA_OFFSET, end - ArtemisFormat.DATA_OFFSET));
        assertThat(bytes.getLong(ArtemisFormat.JOURNAL_FILE_ID_OFFSET)).isEqualTo(5);
        assertThat(bytes.getLong(ArtemisFormat.HEADER_MAGIC_OFFSET)).isZero(); // our part is not Artemis' business
        assertThat(fixture.factory.reading()).isSameAs(shown);
        shown.close();
    }
}
