package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.UsedFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DataFilesTest {
    private static final Path FIRST = Path.of("/store/tallystick-1.jnl");
    private static final Path SECOND = Path.of("/store/tallystick-2.jnl");

    private final DataFiles files = new DataFiles();
    private final DataFile older = new DataFile(1, 10);
    private final DataFile newer = new DataFile(2, 20);

    @Test
    void theIdTellsTheOldestFromTheNewest() {
        assertThat(files.oldest()).isNull();
        assertThat(files.newest()).isNull();
        files.add(newer);
        files.add(older);

        assertThat(files.oldest()).isSameAs(older);
        assertThat(files.newest()).isSameAs(newer);
        assertThat(files.count()).isEqualTo(2);
        assertThat(files.lastSequences().toString()).isEqualTo("{1=10, 2=20}");
    }

    @Test
    void theFileThatTakesBatchesIsInUseAndOpen() {
        older.liesAt(FIRST);
        newer.liesAt(SECOND);
        files.add(older);
        files.add(newer);

        assertThat(files.inUse(4096)).containsExactly(UsedFile.named(FIRST, 4096), UsedFile.open(SECOND, 4096));
    }

    @Test
    void aFileThatMayBeGoneIsNotInUse() {
        files.add(older);
        files.add(newer);
        newer.liesAt(SECOND);

        assertThat(files.inUse(4096)).containsExactly(UsedFile.open(SECOND, 4096));
    }

    @Test
    void theOldestFileWithLiveRecordsIsFound() {
        files.add(older);
        files.add(newer);
        assertThat(files.oldestWithLive()).isNull();
        newer.becameLive();
        assertThat(files.oldestWithLive()).isSameAs(newer);
        older.becameLive();
        assertThat(files.oldestWithLive()).isSameAs(older);
        older.becameDead();
        assertThat(files.oldestWithLive()).isSameAs(newer);
    }

    @Test
    void onlyTheFileItselfIsRemovedAndNotASuccessorWithItsId() {
        files.add(older);

        files.remove(new DataFile(1, 99));
        assertThat(files.count()).isEqualTo(1);
        files.remove(older);
        assertThat(files.count()).isZero();
    }
}
