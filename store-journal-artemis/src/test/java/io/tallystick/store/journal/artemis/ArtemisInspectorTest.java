package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The inspector recognizes files without the library, so it has a pattern of its own. */
class ArtemisInspectorTest {
    private final ArtemisInspector inspector = new ArtemisInspector();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tallystick-1.jnl",
                "tallystick-123456789012345678.jnl",
                "tallystick-1234567890123456789.jnl",
                "tallystick-.jnl",
                "tallystick-1.jnl.tmp",
                "tallystick-1xjnl",
                "0000000000000001.seg",
                ArtemisFormat.READY_FILE
            })
    void itTakesTheNamesThatTheJournalTakes(String name) {
        assertThat(inspector.isJournalFile(ArtemisFixture.DIRECTORY.resolve(name)))
                .isEqualTo(ArtemisFormat.FILE_NAME.matcher(name).matches());
    }
}
