package io.tallystick.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.log.spi.Version;
import org.junit.jupiter.api.Test;

class VisibilityTest {
    private static final StateKey KEY = StateKey.of("/Type", ObjectId.of(new byte[] {1}));

    @Test
    void aKeyWithoutAVersionIsAbsent() {
        assertThat(Visibility.visible(null)).isNull();
        assertThat(Visibility.statusOf(null)).isEqualTo(StateStatus.ABSENT);
    }

    @Test
    void readersSeeTheNewestVisibleVersion() {
        Version old = new Fixed(true, null, RecordFormat.FLAG_COMMITTED);
        Version pending = new Fixed(false, old, RecordFormat.FLAG_SHADOW);
        Version newer = new Fixed(false, pending, RecordFormat.FLAG_SHADOW);

        assertThat(Visibility.visible(newer)).isSameAs(old);
        assertThat(Visibility.statusOf(newer)).isEqualTo(StateStatus.COMMITTED);
    }

    @Test
    void aFirstVersionThatIsNotOnDiskIsNotSeen() {
        assertThat(Visibility.visible(new Fixed(false, null, RecordFormat.FLAG_COMMITTED)))
                .isNull();
    }

    /**
     * It becomes visible first and lets go of the one before it then, perhaps between the two questions of a reader.
     */
    @Test
    void aVersionThatLandsWhileAReaderLooksIsSeen() {
        Version landing = new Fixed(false, null, RecordFormat.FLAG_COMMITTED) {
            private int asked;

            @Override
            public boolean isVisible() {
                return asked++ > 0;
            }
        };

        assertThat(Visibility.visible(landing)).isSameAs(landing);
    }

    private static class Fixed extends Version {
        private final boolean visible;
        private final Version before;

        Fixed(boolean visible, Version before, int flags) {
            super(KEY, flags, 0, 0, new byte[0]);
            this.visible = visible;
            this.before = before;
        }

        @Override
        public boolean isVisible() {
            return visible;
        }

        @Override
        public Version beforeWhatIsHidden() {
            return before;
        }
    }
}
