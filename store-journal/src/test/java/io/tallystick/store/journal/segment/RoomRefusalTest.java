package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A caller without room hears whether the disk is full or fails. */
class RoomRefusalTest {
    private static final Path DIRECTORY = Path.of("/store");

    @Test
    void usedUpRoomIsAFullStore() {
        StoreException told = new RoomRefusal("no file can be made", null).toException(DIRECTORY);

        assertThat(told)
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("directory=/store is full (no file can be made)");
    }

    @Test
    void aDiskThatFailsIsNoFullStore() {
        IOException cause = new IOException("broken");

        StoreException told = new RoomRefusal("no file can be made", cause).toException(DIRECTORY);

        assertThat(told)
                .isInstanceOf(StoreIoException.class)
                .hasCause(cause)
                .hasMessageContaining("directory=/store has no room left and cannot get more (no file can be made)");
    }
}
