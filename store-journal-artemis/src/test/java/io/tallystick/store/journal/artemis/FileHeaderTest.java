package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.journal.artemis.FileHeader.Kind;
import java.nio.ByteBuffer;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a file begins with. */
class FileHeaderTest {
    private static final byte[] STORE_ID = ArtemisFixture.STORE_ID;
    private static final byte[] OTHER_STORE_ID = new byte[ArtemisFormat.STORE_ID_BYTES];

    private final FileHeader header = new FileHeader(5, 3, 77, 65_536);
    private final ByteBuffer block = ByteBuffer.allocate(ArtemisFormat.DATA_OFFSET);

    @BeforeEach
    void encode() {
        header.encodeTo(block, STORE_ID);
    }

    @Test
    void whatWasWrittenIsRead() {
        assertThat(FileHeader.kindOf(block, STORE_ID)).isEqualTo(Kind.OURS);
        assertThat(FileHeader.decode(block)).isEqualTo(header);
    }

    @Test
    void everyChangedByteIsNoticed() {
        for (int at = 0; at < ArtemisFormat.HEADER_BYTES; at++) {
            byte was = block.get(at);
            block.put(at, (byte) (was ^ 1));
            assertThat(FileHeader.kindOf(block, STORE_ID)).as("byte=%d", at).isIn(Kind.DAMAGED, Kind.NEWER);
            assertThat(FileHeader.storeIdOf(block)).as("byte=%d", at).isEmpty();
            block.put(at, was);
        }
        assertThat(FileHeader.kindOf(block, STORE_ID)).isEqualTo(Kind.OURS);
    }

    @Test
    void aHeaderOfAnotherStoreIsToldFromADamagedOne() {
        assertThat(FileHeader.kindOf(block, OTHER_STORE_ID)).isEqualTo(Kind.OTHER_STORE);
    }

    /** Its checksum may lie in another place. */
    @Test
    void aLaterVersionIsNewerWhateverItsChecksum() {
        block.order(ArtemisFormat.ORDER).putInt(ArtemisFormat.HEADER_VERSION_OFFSET, ArtemisFormat.VERSION + 1);

        assertThat(FileHeader.kindOf(block, STORE_ID)).isEqualTo(Kind.NEWER);
    }

    @Test
    void aHeaderOfArtemisAloneIsToldFromDamage() {
        assertThat(kindOfArtemis(1, 0)).isEqualTo(Kind.ARTEMIS_ONLY);
        assertThat(kindOfArtemis(JournalImpl.FORMAT_VERSION, 0)).isEqualTo(Kind.ARTEMIS_ONLY);
        assertThat(kindOfArtemis(0, 0)).isEqualTo(Kind.DAMAGED);
        assertThat(kindOfArtemis(JournalImpl.FORMAT_VERSION + 1, 0)).isEqualTo(Kind.DAMAGED);
    }

    /** The user version is that of our files, so our part of the header is lost. */
    @Test
    void aHeaderWithoutOurPartIsDamagedIfItsUserVersionIsOurs() {
        assertThat(kindOfArtemis(JournalImpl.FORMAT_VERSION, ArtemisFormat.USER_VERSION))
                .isEqualTo(Kind.DAMAGED);
    }

    private static Kind kindOfArtemis(int version, int userVersion) {
        ByteBuffer artemis = ByteBuffer.allocate(ArtemisFormat.DATA_OFFSET);
        artemis.putInt(ArtemisFormat.JOURNAL_VERSION_OFFSET, version);
        artemis.putInt(ArtemisFormat.USER_VERSION_OFFSET, userVersion);
        return FileHeader.kindOf(artemis, STORE_ID);
    }

    @Test
    void aWholeHeaderNamesItsStore() {
        assertThat(FileHeader.storeIdOf(block)).hasValue(STORE_ID);
    }

    @Test
    void aCutHeaderNamesNoStore() {
        assertThat(FileHeader.storeIdOf(block.slice(0, ArtemisFormat.HEADER_BYTES)))
                .hasValue(STORE_ID);
        assertThat(FileHeader.storeIdOf(block.slice(0, ArtemisFormat.HEADER_BYTES - 1)))
                .isEmpty();
    }
}
