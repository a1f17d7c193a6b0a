package io.tallystick.storage;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** One kind of small ASCII file: a title and a format version, some lines, and a CRC32C over all before it. */
public final class ChecksummedText {
    /** The most bytes of a file, where nothing else was asked for. */
    private static final int MAX_BYTES = 512;

    private static final int VERSION = 1;

    private final int maxBytes;
    private final String title;
    private final Pattern form;
    private final Pattern newer;
    private final String purpose;
    private final String remedy;

    /** A kind of file of at most {@value #MAX_BYTES} bytes; otherwise as the other constructor. */
    ChecksummedText(String title, String lines, String purpose, String remedy) {
        this(MAX_BYTES, title, lines, purpose, remedy);
    }

    /**
     * A kind of file.
     *
     * @param maxBytes the most bytes that a file may have
     * @param title the first word of the file
     * @param lines the form of the lines, as a regular expression with named groups
     * @param purpose the end of the sentence "it is not the text that ..."
     * @param remedy what to do about a damaged file
     */
    public ChecksummedText(int maxBytes, String title, String lines, String purpose, String remedy) {
        this.maxBytes = maxBytes;
        this.title = title;
        this.form = Pattern.compile(
                "(?<checked>" + title + " (?<version>\\d{1,9})\n" + lines + ")crc32c=(?<crc>[0-9a-f]{8})\n");
        this.newer = Pattern.compile(title + " (\\d{1,9})\n(?s:.*)");
        this.purpose = purpose;
        this.remedy = remedy;
    }

    /** Makes the file or replaces it; on disk when the call returns. A crash leaves the old content or the new one. */
    public void write(Disk disk, Path path, String lines) throws IOException {
        String checked = title + " " + VERSION + "\n" + lines;
        String text = checked + "crc32c=" + checksum(checked) + "\n";
        SmallFile.replace(disk, path, text.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The lines, by the named groups of their form; empty where there is no file.
     *
     * @throws StoreDirectoryException the file is damaged, or a newer library wrote it
     */
    public Optional<Matcher> read(Disk disk, Path path) throws IOException {
        String text;
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            long size = file.size();
            if (size > maxBytes) {
                throw corrupt(path, "it has " + size + " bytes, more than the " + maxBytes + " it may have");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.readFully(bytes, 0);
            text = StandardCharsets.ISO_8859_1.decode(bytes.flip()).toString();
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
        return Optional.of(parsed(path, text));
    }

    private Matcher parsed(Path path, String text) throws StoreDirectoryException {
        Matcher later = newer.matcher(text);
        if (later.matches() && Integer.parseInt(later.group(1)) > VERSION) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "file=" + path + " has format version " + later.group(1) + "; this library reads up to " + VERSION
                            + ": use the newer library that wrote it",
                    null);
        }
        Matcher matcher = form.matcher(text);
        if (!matcher.matches()) {
            throw corrupt(path, "it is not the text that " + purpose);
        }
        if (!matcher.group("crc").equals(checksum(matcher.group("checked")))) {
            throw corrupt(path, "its checksum does not fit");
        }
        if (Integer.parseInt(matcher.group("version")) != VERSION) {
            throw corrupt(path, "it has the unknown format version " + matcher.group("version"));
        }
        return matcher;
    }

    /** The refusal of a file that says something wrong. */
    StoreDirectoryException corrupt(Path path, String reason) {
        return StoreDirectoryException.corrupt(path, "file=" + path + " offset=0: " + reason + "; " + remedy);
    }

    private static String checksum(String checked) {
        CRC32C crc = new CRC32C();
        crc.update(checked.getBytes(StandardCharsets.ISO_8859_1));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
