package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Names, lengths and ids; ArtemisFormatDocumentTest compares the offsets with the document. */
class ArtemisFormatTest {
    @Test
    void onlyNamesThatTheJournalWritesAreItsFiles() {
        assertThat("tallystick-1.jnl").matches(ArtemisFormat.FILE_NAME);
        assertThat("tallystick-" + "9".repeat(18) + ".jnl").matches(ArtemisFormat.FILE_NAME);
        for (String other : new String[] {
            "tallystick-.jnl",
            "tallystick-" + "9".repeat(19) + ".jnl",
            "tallystick-1.jnl.tmp",
            "tallystick-1xjnl",
            "a-1.jnl"
        }) {
            assertThat(other).doesNotMatch(ArtemisFormat.FILE_NAME);
        }
    }

    @Test
    void anUnfinishedFileHasANameOfItsOwn() {
        assertThat("tallystick-12.jnl.tmp").matches(ArtemisFormat.UNFINISHED_NAME);
        assertThat("tallystick-12.jnl").doesNotMatch(ArtemisFormat.UNFINISHED_NAME);
        assertThat("tallystick-12.jnl").endsWith("." + ArtemisFormat.EXTENSION);
        assertThat("tallystick-12.jnl.tmp").endsWith("." + ArtemisFormat.UNFINISHED_EXTENSION);
    }

    @Test
    void aBatchHeaderGrowsByEachFileThatItNames() {
        assertThat(ArtemisFormat.batchHeaderBytes(0)).isEqualTo(87);
        assertThat(ArtemisFormat.batchHeaderBytes(3)).isEqualTo(87 + 3 * 16);
    }

    @Test
    void theIdInARecordIsNeverNegative() {
        assertThat(ArtemisFormat.recordFileId(5)).isEqualTo(5);
        assertThat(ArtemisFormat.recordFileId((1L << 31) + 5)).isEqualTo(5);
        assertThat(ArtemisFormat.recordFileId((1L << 32) - 1)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void aPositionIsRaisedToTheNextMultiple() {
        assertThat(ArtemisFormat.aligned(0, 512)).isZero();
        assertThat(ArtemisFormat.aligned(1, 512)).isEqualTo(512);
        assertThat(ArtemisFormat.aligned(512, 512)).isEqualTo(512);
        assertThat(ArtemisFormat.aligned(513, 512)).isEqualTo(1024);
        assertThat(ArtemisFormat.aligned(513, 1)).isEqualTo(513);
    }
}
