package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RemoteLogsTest {
    @Test
    void aMissingLibraryIsNamed() {
        assertThatThrownBy(() -> RemoteLogs.of("postgresql"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.store=postgresql")
                .hasMessageContaining("io.tallystick:tallystick-store-postgresql");
    }
}
