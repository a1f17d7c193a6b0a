package io.tallystick.storage;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mark in a directory that says: a process has noticed that acknowledged data of this store is missing. No store
 * opens the directory until a person accepts the loss. The mark is one small file; the accepted ones are kept in
 * another:
 *
 * <pre>
 * tallystick-loss 1
 * store=0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11
 * noticed=2026-11-26T09:12:04.117Z
 * missing=file=/var/lib/tx/segment-000001.seg is gone
 * owner=pid=4711 host=orders-0 since=2026-11-26T08:00:00Z
 * crc32c=0c7110c7
 * </pre>
 *
 * <p>A mark that is damaged, or was cut off while it was written, counts as one: only a process that noticed a loss
 * makes a file of this name.
 *
 * @param store the id of the store, as the process knew it; {@value #UNKNOWN} where the mark is damaged
 * @param noticed the time, ISO 8601, UTC, by the wall clock; {@value #UNKNOWN} where the mark is damaged
 * @param missing what is missing, for people, on one line
 * @param owner the process that noticed it, for people, on one line
 */
public record LossMark(String store, String noticed, String missing, String owner) {
    /** The file of the mark, in the store's directory. */
    public static final String FILE_NAME = "tallystick.loss";

    /** The file of the losses that were accepted, in the store's directory. */
    public static final String ACCEPTED_FILE_NAME = "tallystick.loss-accepted";

    /** Stands where a damaged mark tells nothing. */
    public static final String UNKNOWN = "unknown";

    /** The most characters of a reason. */
    public static final int MOST_REASON_CHARACTERS = 500;

    private static final int MAX_BYTES = 2_048;
    private static final int MOST_CHARACTERS = 800;
    private static final int MOST_HISTORY_BYTES = 1 << 20;
    private static final ChecksummedText TEXT = new ChecksummedText(
            MAX_BYTES,
            "tallystick-loss",
            "store=(?<store>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\nnoticed=(?<noticed>[0-9T:.Z+-]{1,40})\n"
                    + "missing=(?<missing>[ -~]{1," + MOST_CHARACTERS + "})\nowner=(?<owner>[ -~]{0,"
                    + MOST_CHARACTERS + "})\n",
            "marks a loss",
            "the loss that it marked is unknown");
    private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

    public LossMark {
        Objects.requireNonNull(store, "store");
        Objects.requireNonNull(noticed, "noticed");
        Objects.requireNonNull(missing, "missing");
        Objects.requireNonNull(owner, "owner");
    }

    /** What became of the mark of a loss. */
    public enum Outcome {
        /** No loss is known. */
        NO_LOSS,
        /** A loss is known, and a thread is about to mark it. */
        PENDING,
        /** It is marked: the next opening is refused. */
        MARKED,
        /** No acknowledged data is missing: another owner has it. */
        NOT_NEEDED,
        /** It could not be marked. */
        IMPOSSIBLE
    }

    /**
     * Marks a loss; on disk when the call returns. A mark that is there already stays as it is. By the owner of the
     * directory.
     *
     * @param store the id of the store
     * @param noticed the time
     * @param missing what is missing; at most {@value #MOST_CHARACTERS} characters of it are kept
     * @param owner the owner that noticed it, likewise
     */
    public static void write(Disk disk, Path directory, UUID store, Instant noticed, String missing, String owner)
            throws IOException {
        Path file = directory.resolve(FILE_NAME);
        if (disk.kindOf(file) != Disk.PathKind.MISSING) {
            disk.forceDirectory(directory);
            return;
        }
        try {
            TEXT.write(
                    disk,
                    file,
                    "store=" + store + "\nnoticed=" + noticed + "\nmissing=" + printable(missing) + "\nowner="
                            + printable(owner) + "\n");
        } catch (IOException failed) {
            // On a full disk the name alone may be there, and counts.
            boolean isThere = disk.kindOf(unfinished(directory)) != Disk.PathKind.MISSING
                    || disk.kindOf(file) != Disk.PathKind.MISSING;
            if (!isThere) {
                throw failed;
            }
            disk.forceDirectory(directory);
        }
    }

    /**
     * The mark in a directory; empty if no loss is marked. Reads, and changes nothing.
     *
     * @throws StoreDirectoryException a newer library wrote it
     */
    public static Optional<LossMark> find(Disk disk, Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        Disk.PathKind kind = disk.kindOf(file);
        if (kind == Disk.PathKind.MISSING) {
            return disk.kindOf(unfinished(directory)) == Disk.PathKind.MISSING
                    ? Optional.empty()
                    : Optional.of(damaged("the process that noticed it could not finish file=" + file));
        }
        if (kind != Disk.PathKind.FILE) {
            return Optional.of(damaged("file=" + file + " is a " + kind + ", not a file"));
        }
        try {
            return Optional.of(TEXT.read(disk, file)
                    .map(LossMark::of)
                    .orElseGet(() -> damaged("file=" + file + " was just removed")));
        } catch (StoreDirectoryException unreadable) {
            if (unreadable.reason() != Reason.CORRUPT) {
                throw unreadable;
            }
            return Optional.of(damaged(String.valueOf(unreadable.getMessage())));
        }
    }

    private static LossMark of(Matcher lines) {
        return new LossMark(lines.group("store"), lines.group("noticed"), lines.group("missing"), lines.group("owner"));
    }

    private static LossMark damaged(String why) {
        return new LossMark(UNKNOWN, UNKNOWN, UNKNOWN + ": the mark cannot be read, " + printable(why), UNKNOWN);
    }

    /**
     * Checks that no loss is marked.
     *
     * @throws StoreDirectoryException one is, or a newer library marked one
     */
    static void checkNone(Disk disk, Path directory) throws IOException {
        Optional<LossMark> mark = find(disk, directory);
        if (mark.isPresent()) {
            throw new StoreDirectoryException(
                    Reason.LOST,
                    "directory=" + directory + " lacks data that its store had acknowledged, missing: "
                            + mark.get().missing + "; noticed=" + mark.get().noticed + " by " + mark.get().owner
                            + ". No process opens the store until a person decides. Look for what is missing and bring"
                            + " it back if you can. Then, in either case, run 'tallystick accept-loss --reason TEXT "
                            + directory + "', and compare with the resource managers before recovery runs",
                    null);
        }
    }

    /**
     * Accepts the loss that is marked: keeps it with the reason in {@value #ACCEPTED_FILE_NAME}, and deletes the mark
     * then. On disk when the call returns. A crash leaves the mark, or the accepted loss, or both; then the call is
     * made again. By the owner of the directory's lock.
     *
     * @param reason 1 to {@value #MOST_REASON_CHARACTERS} printable characters
     * @param user who accepts it, for people
     * @throws IllegalArgumentException the reason has another form
     */
    public static void accept(Disk disk, Path directory, LossMark mark, String reason, String user, Instant now)
            throws IOException {
        checkReason(reason);
        Path history = directory.resolve(ACCEPTED_FILE_NAME);
        String before = new String(
                SmallFile.read(disk, history, MOST_HISTORY_BYTES).orElse(new byte[0]), StandardCharsets.UTF_8);
        String entry = "accepted=" + now + "\nuser=" + user.replaceAll("\\p{C}", "?") + "\nreason=" + reason
                + "\nstore=" + mark.store + "\nnoticed=" + mark.noticed + "\nmissing=" + mark.missing + "\nowner="
                + mark.owner + "\n\n";
        SmallFile.replace(disk, history, (before + entry).getBytes(StandardCharsets.UTF_8));
        for (Path file : new Path[] {unfinished(directory), directory.resolve(FILE_NAME)}) {
            try {
                disk.delete(file);
            } catch (NoSuchFileException usual) {
                // one of the two is there
            }
        }
        disk.forceDirectory(directory);
    }

    /**
     * Checks the reason of a person.
     *
     * @throws IllegalArgumentException it is not 1 to {@value #MOST_REASON_CHARACTERS} printable characters
     */
    public static void checkReason(String reason) {
        boolean isPrintable = reason.codePoints()
                .noneMatch(each -> Character.isISOControl(each)
                        || Character.getType(each) == Character.LINE_SEPARATOR
                        || Character.getType(each) == Character.PARAGRAPH_SEPARATOR
                        || Character.getType(each) == Character.FORMAT
                        || Character.getType(each) == Character.SURROGATE);
        int characters = reason.codePointCount(0, reason.length());
        if (reason.isBlank() || characters > MOST_REASON_CHARACTERS || !isPrintable) {
            throw new IllegalArgumentException("the reason has " + characters + " characters; give 1 to "
                    + MOST_REASON_CHARACTERS + " printable ones on one line, and not only spaces");
        }
    }

    /** Whether the name belongs to a mark, or to the accepted ones. */
    public static boolean isOwnName(String name) {
        return name.equals(FILE_NAME)
                || name.equals(FILE_NAME + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(ACCEPTED_FILE_NAME)
                || name.equals(ACCEPTED_FILE_NAME + StoreIdentity.TEMPORARY_SUFFIX);
    }

    private static Path unfinished(Path directory) {
        return directory.resolve(FILE_NAME + StoreIdentity.TEMPORARY_SUFFIX);
    }

    private static String printable(String text) {
        String clean = UNPRINTABLE.matcher(text).replaceAll("?");
        return clean.length() > MOST_CHARACTERS ? clean.substring(0, MOST_CHARACTERS) : clean;
    }
}
