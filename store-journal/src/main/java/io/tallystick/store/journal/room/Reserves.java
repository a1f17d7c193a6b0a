package io.tallystick.store.journal.room;

/**
 * Derives every amount of room that a log on files holds back.
 *
 * <h2>The promise</h2>
 *
 * A removal never fails for room, and a record that the housekeeper carries along always finds room. Both hold where
 * the longest record, with its padding, takes at most a quarter of a file.
 *
 * <h2>A full disk</h2>
 *
 * When the disk takes no more files, new room comes from dead records only. Files are freed oldest first, and dead
 * records may lie behind files in which all records are live. So the housekeeper carries the live records of the
 * oldest file along: it queues them again, and frees the file. It does so until it reaches the dead records.
 *
 * <h2>The formulas</h2>
 *
 * <pre>
 *   F        size of a file                            n   files that the log has
 *   longest  longest record so far                     k   live images, one for each key
 *
 *   portions       = F / portion + 2                   in how many portions a file is carried
 *   waste          = min(longest + portions * batch + n * perFile,  F / 4)
 *                                                      what carrying one file takes beyond its records
 *   growth         = k * image                         what all images take more when they are carried
 *
 *   whileCarrying  = carryingFiles * F + waste         left by a record that is carried
 *   forRemovals    = removalFiles * F + (n + 2) * waste + growth
 *                                                      left by a removal
 *   forWrites      = forRemovals + n * waste + growth + writeFiles * F + F / 4
 *                                                      left by a write
 *   afterCarryingAll = dead - n * waste - growth       the room after each file was carried once
 * </pre>
 *
 * Each term pays for one thing:
 *
 * <ul>
 *   <li>{@code removalFiles * F}: one file for the records that are carried, and one that they leave for the next
 *       opening. An engine that frees a carried file late needs one file more.
 *   <li>{@code (n + 2) * waste}: all files are carried once, and two more, because the active file becomes full
 *       meanwhile.
 *   <li>{@code n * waste} of a write: when writes are refused, removals may still have all files carried along once.
 *   <li>{@code F / 4} of a write: blocks for removals.
 * </ul>
 *
 * <h2>Openings that are cut off</h2>
 *
 * <p>The segmented engine carries with {@code carryingFiles = 1}. So at each moment
 *
 * <pre>
 *   room left in the active file + spares * usable file - reserved >= F
 * </pre>
 *
 * <p>The active file has less than F left, so at least one spare is on disk, whatever the order in which carried and
 * other records are laid out. An opening that follows has lost the rest of the active file alone. Before it has
 * callers, it makes {@code forRemovals} again, and no step of that lessens the spares. Since the last write, {@code
 * dead >= forWrites}. An end that is lost counts as dead too. So
 *
 * <pre>
 *   afterCarryingAll >= forWrites - n * waste - growth >= forRemovals + F / 4
 * </pre>
 *
 * <p>and that holds before each opening, whatever the number of openings that were cut off.
 *
 * <h2>Example</h2>
 *
 * The segmented engine has F = 1 MiB, blocks of 4 KiB, n = 8 and longest = 10,000 bytes. A portion is 512 KiB, and a
 * batch wastes a header of 64 bytes and at most one block: 4,160 bytes. All other costs are zero.
 *
 * <pre>
 *   portions    = 2 + 2                                           =         4
 *   waste       = min(10,000 + 4 * 4,160, 262,144)                =    26,640
 *   forRemovals = 2 * 1,048,576 + 10 * 26,640                     = 2,363,552
 *   forWrites   = 2,363,552 + 8 * 26,640 + 262,144                = 2,838,816
 * </pre>
 *
 * @param fileBytes size of each file, bytes
 * @param costs what carrying takes beyond the records
 * @param spareFiles whole files that are held back
 */
public record Reserves(long fileBytes, Costs costs, SpareFiles spareFiles) {
    /**
     * The costs of carrying, besides the records that are carried.
     *
     * @param portionBytes records are carried in portions of about this length, bytes
     * @param batchBytes header and most padding of a batch, bytes
     * @param bytesPerFile what the carrying of a file takes for each file that the log has, bytes
     * @param imageBytes what an image takes besides its record each time it is carried, bytes
     */
    public record Costs(long portionBytes, long batchBytes, long bytesPerFile, long imageBytes) {}

    /**
     * Whole files that are held back.
     *
     * @param whileCarrying left by a record that is carried
     * @param forRemovals left by a removal
     * @param forWrites left by a write besides those
     */
    public record SpareFiles(int whileCarrying, int forRemovals, int forWrites) {}

    /** The most bytes that carrying a file takes besides the length of its records and their {@link #growth}. */
    public long waste(long files, long longestRecord) {
        long portions = fileBytes / costs.portionBytes() + 2;
        long waste = longestRecord + portions * costs.batchBytes() + files * costs.bytesPerFile();
        return Math.min(waste, fileBytes / 4);
    }

    /** The bytes that all images take more when each of them is carried once. */
    public long growth(long images) {
        return images * costs.imageBytes();
    }

    /** The room that a record must leave when it is carried, bytes. */
    public long whileCarrying(long waste) {
        return spareFiles.whileCarrying() * fileBytes + waste;
    }

    /** The room that a removal must leave, bytes. */
    public long forRemovals(long files, long waste, long growth) {
        return spareFiles.forRemovals() * fileBytes + (files + 2) * waste + growth;
    }

    /** The room that a write must leave, bytes. */
    public long forWrites(long files, long waste, long growth) {
        return forRemovals(files, waste, growth)
                + files * waste
                + growth
                + spareFiles.forWrites() * fileBytes
                + fileBytes / 4;
    }

    /**
     * The least room there is after each file was carried along once, bytes.
     *
     * @param dead usable bytes of all files that no live record takes
     */
    public long afterCarryingAll(long dead, long files, long waste, long growth) {
        return dead - files * waste - growth;
    }
}
