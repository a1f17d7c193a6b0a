package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OpenFilesTest {
    private final OpenFileWatch disk = new OpenFileWatch(new SimulatedDisk());
    private final OpenFiles files = new OpenFiles();

    @Test
    void aKeptFileIsTakenOnce() throws IOException {
        DiskFile file = opened(0);
        OpenFiles.Kept kept = files.keep(file);

        assertThat(kept.take()).isSameAs(file);
        assertThat(kept.take()).isNull();
        kept.close();
        assertThat(disk.open()).hasSize(1);
    }

    @Test
    void theOldestIsClosedWhenThereAreTooMany() throws IOException {
        OpenFiles.Kept oldest = files.keep(opened(0));
        OpenFiles.Kept second = files.keep(opened(1));
        for (int i = 2; i <= OpenFiles.MAX_STATES; i++) {
            files.keep(opened(i));
        }

        assertThat(disk.open()).hasSize(OpenFiles.MAX_STATES);
        assertThat(oldest.take()).isNull();
        assertThat(second.take()).isNotNull();
    }

    @Test
    void aFileThatWasTakenIsNotClosedByTheOnesThatFollow() throws IOException {
        DiskFile taken = files.keep(opened(0)).take();
        for (int i = 1; i <= OpenFiles.MAX_STATES; i++) {
            files.keep(opened(i));
        }

        assertThat(taken.size()).isZero();
        assertThat(disk.open()).hasSize(OpenFiles.MAX_STATES + 1);
    }

    @Test
    void closingClosesAllThatAreKept() throws IOException {
        files.keep(opened(0));
        OpenFiles.Kept last = files.keep(opened(1));

        files.closeAll();

        assertThat(disk.open()).isEmpty();
        assertThat(last.take()).isNull();
    }

    @Test
    void soManySpareFilesMayStayOpenAndNoMore() {
        for (int i = 0; i < OpenFiles.MAX_SPARES; i++) {
            assertThat(files.mayKeepSpare()).isTrue();
        }
        assertThat(files.mayKeepSpare()).isFalse();
        assertThat(files.mayKeepSpare()).isFalse();

        files.spareTaken();

        assertThat(files.mayKeepSpare()).isTrue();
        assertThat(files.mayKeepSpare()).isFalse();
    }

    private DiskFile opened(int number) throws IOException {
        return disk.disk().open(Path.of("/" + number), OpenMode.CREATE_NEW);
    }
}
