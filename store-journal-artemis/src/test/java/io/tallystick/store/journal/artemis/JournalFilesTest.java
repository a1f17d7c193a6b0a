package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.log.commit.PendingAppend;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files of a loaded journal: which are spare, and which must not become so yet. */
@Timeout(120)
class JournalFilesTest {
    private ArtemisFixture fixture;
    private JournalFiles files;

    @BeforeEach
    void make() throws IOException {
        fixture = new ArtemisFixture();
        files = fixture.parts.files();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    @Test
    void theFilesAreThoseOfTheJournalThatWasLoaded() throws IOException {
        assertThat(files.isLoaded()).isFalse();

        fixture.load();

        assertThat(files.isLoaded()).isTrue();
        assertThat(files.spares()).isEqualTo(ArtemisFixture.SEGMENTS - 1);
    }

    @Test
    void openingASpareFileMakesNoneAsLongAsThereIsOne() throws IOException {
        fixture.load();
        int opened = files.openSpares();
        int closed = files.closedSpares();

        openSpare();

        assertThat(files.openSpares()).isEqualTo(opened + 1);
        assertThat(files.closedSpares()).isEqualTo(closed - 1);
        for (int i = closed; i > 0; i--) {
            openSpare();
        }
        assertThat(files.closedSpares()).isZero();
        assertThat(files.openSpares()).isEqualTo(opened + closed + 1);
    }

    private void openSpare() throws IOException {
        fixture.housekeeper().thread().call(() -> {
            files.openSpare();
            return null;
        });
    }

    /** It has the list of files until the first batch of the next file is on disk. */
    @Test
    void aDeadFileThatIsHeldBackIsNotReused() throws IOException {
        fixture.load();
        BatchWriter writer = new BatchWriter(fixture.recovered().journal(), fixture.parts, fixture.housekeeper());
        DataFile first = fixture.recovered().active();
        PendingAppend image = image(1, 100);
        writer.write(fixture.batch(first, 1, ArtemisFormat.DATA_OFFSET, image));
        PendingAppend removal = removal(1);
        removal.supersede(image);
        DataFile second = new DataFile();
        writer.write(fixture.batchThatBegins(second, 2, Map.of(first.fileId(), 1L), removal));
        writer.write(fixture.batchThatBegins(
                new DataFile(), 3, Map.of(first.fileId(), 1L, second.fileId(), 2L), image(2, 100)));

        assertThat(sparesMoreAfterReuse()).isEqualTo(1);
        assertThat(sparesMoreAfterReuse()).isZero();
        files.releaseHeldBack();
        assertThat(sparesMoreAfterReuse()).isEqualTo(1);
        assertThat(files.rolls()).isEqualTo(2);
    }

    private int sparesMoreAfterReuse() throws IOException {
        return fixture.housekeeper().thread().call(() -> {
            int before = files.spares();
            files.reuseDeadFiles();
            return files.spares() - before;
        });
    }
}
