package io.tallystick.store.journal.artemis.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ShortfallTest {
    private static final Path DIRECTORY = Path.of("/store");

    private final IOException cause = new IOException("thrown by the test");
    private final Shortfall ofRoom = Shortfall.ofRoom("no room");
    private final Shortfall ofFile = Shortfall.ofFile("no file", cause);

    @Test
    void onlyNothingIsNone() {
        assertThat(Shortfall.NONE.isNone()).isTrue();
        assertThat(ofRoom.isNone()).isFalse();
        assertThat(ofFile.isNone()).isFalse();
    }

    @Test
    void aCallerWithoutRoomHearsThatTheStoreIsFull() {
        assertThat(ofRoom.refusal(DIRECTORY))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("directory=" + DIRECTORY)
                .hasMessageContaining("no room")
                .hasMessageContaining("nothing was written");
        assertThat(ofRoom.noNextFile(DIRECTORY)).hasMessageContaining("no room").hasNoCause();
    }

    @Test
    void aCallerWhoseFileIsRefusedHearsTheDisksError() {
        assertThat(ofFile.refusal(DIRECTORY))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("directory=" + DIRECTORY)
                .hasMessageContaining("no file")
                .hasMessageContaining("nothing was written")
                .hasCause(cause);
        assertThat(ofFile.noNextFile(DIRECTORY)).hasMessageContaining("no file").hasCause(cause);
    }

    @Test
    void nothingIsNoError() {
        assertThatThrownBy(() -> Shortfall.NONE.refusal(DIRECTORY)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Shortfall.NONE.noNextFile(DIRECTORY)).isInstanceOf(IllegalStateException.class);
    }
}
