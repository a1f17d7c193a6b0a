package io.tallystick.store.journal.artemis;

import java.nio.ByteOrder;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The layout of a journal file: our file header, our batch header, and the offsets in Artemis' own records.
 * Artemis' numbers are big-endian, ours little-endian. docs/format/journal-artemis-v1.md has the same tables and is
 * the authority.
 */
final class ArtemisFormat {
    /** Byte order of our numbers; the numbers of Artemis have the other one. */
    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    static final String PREFIX = "tallystick";
    static final String EXTENSION = "jnl";
    static final String UNFINISHED_EXTENSION = EXTENSION + ".tmp";
    static final Pattern FILE_NAME = Pattern.compile(PREFIX + "-(\\d{1,18})\\." + EXTENSION);
    static final Pattern UNFINISHED_NAME = Pattern.compile(PREFIX + "-(\\d{1,18})\\." + EXTENSION + "\\.tmp");

    /** Empty. It proves that the first files were made: where it is and no file is, files are missing. */
    static final String READY_FILE = "journal.ready";

    /** The user version in Artemis' header of each of our files: "TALY". */
    static final int USER_VERSION = 0x54414c59;

    /** Batches begin here; the header has the space before. A multiple of every block size up to it. */
    static final int DATA_OFFSET = 4096;

    // The file header. Artemis' part:
    static final int JOURNAL_VERSION_OFFSET = 0;
    static final int USER_VERSION_OFFSET = 4;
    static final int JOURNAL_FILE_ID_OFFSET = 8;
    // Ours:
    static final int HEADER_MAGIC_OFFSET = 16;
    static final int HEADER_STORE_ID_OFFSET = 24;
    static final int HEADER_FILE_ID_OFFSET = 40;
    static final int HEADER_REPLACED_ID_OFFSET = 48;
    static final int HEADER_SEQUENCE_OFFSET = 56;
    static final int HEADER_FILE_BYTES_OFFSET = 64;
    static final int HEADER_VERSION_OFFSET = 72;
    static final int HEADER_CRC_OFFSET = 76;
    static final int HEADER_BYTES = 80;
    static final int STORE_ID_BYTES = 16;

    /** "TALLYART". */
    static final long HEADER_MAGIC = 0x545241594c4c4154L;

    static final int VERSION = 1;

    // Every record of Artemis begins with:
    static final int RECORD_TYPE_OFFSET = 0;
    static final int RECORD_FILE_ID_OFFSET = 1;
    static final int RECORD_COMPACT_COUNT_OFFSET = 5;
    static final int RECORD_ID_OFFSET = 6;
    // and those with a body go on with:
    static final int RECORD_BODY_LENGTH_OFFSET = 14;
    static final int RECORD_USER_TYPE_OFFSET = 18;
    static final int RECORD_BODY_OFFSET = 19;
    // and all end with their length, 4 bytes.

    /** The bytes that Artemis adds to a body. */
    static final int ADD_FRAME_BYTES = JournalImpl.SIZE_ADD_RECORD + 1;
    /** A record that deletes another one. */
    static final int DELETE_BYTES = JournalImpl.SIZE_DELETE_RECORD + 1;

    /** User type of the event record that begins each batch. */
    static final byte BATCH_TYPE = 1;
    /** User type of an image of a key. */
    static final byte IMAGE_TYPE = 2;

    // The batch header, from the beginning of its event record.
    static final int BATCH_MAGIC_OFFSET = RECORD_BODY_OFFSET;
    static final int BATCH_CRC_OFFSET = RECORD_BODY_OFFSET + 4;
    static final int BATCH_LENGTH_OFFSET = RECORD_BODY_OFFSET + 8;
    static final int BATCH_COUNT_OFFSET = RECORD_BODY_OFFSET + 12;
    static final int BATCH_STORE_ID_OFFSET = RECORD_BODY_OFFSET + 16;
    static final int BATCH_FILE_ID_OFFSET = RECORD_BODY_OFFSET + 32;
    static final int BATCH_SEQUENCE_OFFSET = RECORD_BODY_OFFSET + 40;
    static final int BATCH_NEXT_RECORD_ID_OFFSET = RECORD_BODY_OFFSET + 48;
    static final int BATCH_FILE_COUNT_OFFSET = RECORD_BODY_OFFSET + 56;
    static final int BATCH_POSITION_OFFSET = RECORD_BODY_OFFSET + 60;
    static final int BATCH_FILES_OFFSET = RECORD_BODY_OFFSET + 64;

    /** "TALB". */
    static final int BATCH_MAGIC = 0x424c4154;

    static final int BATCH_BODY_BYTES = BATCH_FILES_OFFSET - RECORD_BODY_OFFSET;
    static final int BATCH_FILE_BYTES = 16;

    private ArtemisFormat() {}

    /** Bytes of the event record that begins a batch, with a list of that many files. */
    static int batchHeaderBytes(int files) {
        return ADD_FRAME_BYTES + BATCH_BODY_BYTES + files * BATCH_FILE_BYTES;
    }

    /** The number in each record by which Artemis tells one life of a file from another. */
    static int recordFileId(long fileId) {
        return (int) (fileId & Integer.MAX_VALUE);
    }

    static long aligned(long position, int alignment) {
        return (position + alignment - 1) / alignment * alignment;
    }
}
