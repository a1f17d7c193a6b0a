package io.tallystick.store.journal.artemis.room;

import io.tallystick.store.journal.room.Reserves;
import io.tallystick.store.journal.room.Reserves.Costs;
import io.tallystick.store.journal.room.Reserves.SpareFiles;

/**
 * The bytes that a journal adds to records, and the room that a record takes with them. All figures are bytes.
 *
 * <pre>
 * overhead        = image frame + deletion
 * charge          = aligned(batch header + overhead + record)       a record that is alone in its batch
 * charge of copy  = overhead + record                               copies lie side by side in a batch
 * </pre>
 *
 * An image takes the overhead besides its record. The deletion is the one of the image before.
 *
 * <p>Example: 5 files of 64 KiB, 100 live records of at most 1,300 bytes, alignment 512. The framing is that of
 * Artemis: batch header 87, image frame 23, deletion 18, file entry 16. The {@link Reserves} follow the charges.
 *
 * <pre>
 * charge of 1,200 = aligned(87 + 41 + 1200)                         =   1,536
 * as a copy       = 41 + 1200                                       =   1,241
 * waste           = min(1300 + 2 x (87 + 512) + 5 x 16, 16384)      =   2,578
 * growth          = 100 x 41                                        =   4,100
 * whileCarrying   = 65536 + 2578                                    =  68,114
 * forRemovals     = 3 x 65536 + 7 x 2578 + 4100                     = 218,754
 * forWrites       = 218754 + 5 x 2578 + 4100 + 65536 + 16384        = 317,664
 * </pre>
 *
 * @param batchHeaderBytes the header of a batch without a list of files
 * @param imageFrameBytes the frame round the record of an image
 * @param deletionBytes the deletion of an image
 * @param fileEntryBytes a file in the list of files that begins each file
 * @param alignment positions and lengths of batches are multiples of it
 */
public record Framing(int batchHeaderBytes, int imageFrameBytes, int deletionBytes, int fileEntryBytes, int alignment) {
    /**
     * A removal leaves a file for the copies, one for those copies that are not free yet, and one that the next opening
     * may need. A write leaves one more, because the last copies are not free when the others are.
     */
    private static final SpareFiles SPARE_FILES = new SpareFiles(1, 3, 1);

    /** The charge of a record that a caller writes. */
    public long charge(long recordBytes) {
        long bytes = batchHeaderBytes + overhead() + recordBytes;
        return (bytes + alignment - 1) / alignment * alignment;
    }

    /** The charge of a record that the housekeeper copies. */
    public long chargeOfCopy(long recordBytes) {
        return overhead() + recordBytes;
    }

    private long overhead() {
        return (long) imageFrameBytes + deletionBytes;
    }

    /**
     * The reserves of a journal with this framing. An image grows by the overhead, because the first image of a key may
     * have had no deletion. The copy has one.
     *
     * @param portionBytes copies are queued in portions of about this length
     */
    public Reserves reserves(long fileBytes, long portionBytes) {
        long batchBytes = batchHeaderBytes + (long) alignment;
        return new Reserves(fileBytes, new Costs(portionBytes, batchBytes, fileEntryBytes, overhead()), SPARE_FILES);
    }
}
