package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DataFileTest {
    @Test
    void aNewFileHasNoIdAndNoBatchUntilItIsTakenIntoUse() {
        DataFile file = new DataFile();
        assertThat(file.lastSequence()).isZero();

        file.laidOut(5);
        file.takeIntoUse(3);

        assertThat(file.fileId()).isEqualTo(3);
        assertThat(file.lastSequence()).isEqualTo(5);
        assertThat(file).hasToString("file-id=3");
    }

    @Test
    void liveVersionsAreCounted() {
        DataFile file = new DataFile(3, 5);
        file.becameLive();
        file.becameLive();
        file.becameDead();

        assertThat(file.live()).isEqualTo(1);
    }

    @Test
    void aFileLiesNowhereUntilItIsSaid() {
        DataFile file = new DataFile(3, 5);
        assertThat(file.pathOrNull()).isNull();

        file.liesAt(Path.of("/store/tallystick-1.jnl"));
        assertThat(file.pathOrNull()).isEqualTo(Path.of("/store/tallystick-1.jnl"));
        file.liesAt(null);
        assertThat(file.pathOrNull()).isNull();
    }
}
