package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SmallFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * A list of files with size and CRC32C, and a few words about them: UTF-8 text, the last line a CRC32C over the lines
 * before it.
 *
 * <pre>
 * tallystick-backup 1
 * kind=file-v1
 * file=4096 0a1b2c3d states/+atomic+action/0a1b.state
 * crc32c=10268774
 * </pre>
 *
 * @param title the subject of the manifest, and the version of its form
 * @param fields keys and values, in their order
 * @param entries the files
 */
public record Manifest(String title, Map<String, String> fields, List<Entry> entries) {
    private static final int MAX_BYTES = 256 * 1024 * 1024;
    private static final int CHUNK_BYTES = 1024 * 1024;
    private static final String UNREADABLE = "unreadable";
    private static final Pattern FIELD = Pattern.compile("([a-z][a-z0-9-]*)=(.*)");
    private static final Pattern FILE = Pattern.compile("(\\d{1,18}) ([0-9a-f]{8}|" + UNREADABLE + ") (.+)");
    private static final Pattern LAST = Pattern.compile("crc32c=([0-9a-f]{8})");

    /**
     * A file.
     *
     * @param path relative, with slashes
     * @param bytes its size
     * @param crc CRC32C of its content; empty where the disk did not give it
     */
    public record Entry(String path, long bytes, Optional<Integer> crc) {}

    /** The entry of a file as it is now. */
    public static Entry entryOf(Disk disk, Path root, Path file) throws IOException {
        String path = root.relativize(file).toString().replace('\\', '/');
        try (DiskFile open = disk.open(file, OpenMode.READ)) {
            long size = open.size();
            try {
                return new Entry(path, size, Optional.of(checksum(open, size)));
            } catch (IOException unreadable) {
                return new Entry(path, size, Optional.empty());
            }
        }
    }

    private static int checksum(DiskFile file, long size) throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, Math.max(size, 1)));
        for (long at = 0; at < size; at += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), size - at));
            file.readFully(chunk, at);
            crc.update(chunk.flip());
        }
        return (int) crc.getValue();
    }

    /** Writes the manifest; it is on disk when the call returns. */
    public void write(Disk disk, Path target) throws IOException {
        SmallFile.replace(disk, target, encoded().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads a manifest; empty where there is no file.
     *
     * @throws ToolException it is damaged, or of another form
     */
    public static Optional<Manifest> read(Disk disk, Path source, String title) throws IOException {
        return SmallFile.read(disk, source, MAX_BYTES)
                .map(bytes -> parse(source, new String(bytes, StandardCharsets.UTF_8), title));
    }

    private String encoded() {
        StringBuilder text = new StringBuilder(title).append('\n');
        fields.forEach((key, value) ->
                text.append(key).append('=').append(Escaped.of(value)).append('\n'));
        for (Entry entry : entries) {
            text.append("file=")
                    .append(entry.bytes)
                    .append(' ')
                    .append(entry.crc
                            .map(crc -> HexFormat.of().toHexDigits(crc))
                            .orElse(UNREADABLE))
                    .append(' ')
                    .append(Escaped.of(entry.path))
                    .append('\n');
        }
        String lines = text.toString();
        return lines + "crc32c=" + checksum(lines) + "\n";
    }

    private static Manifest parse(Path source, String text, String title) {
        int last = text.lastIndexOf("crc32c=");
        Matcher checksum = LAST.matcher(last < 0 ? "" : text.substring(last).strip());
        if (!checksum.matches() || !checksum.group(1).equals(checksum(text.substring(0, last)))) {
            throw damaged(source, "its checksum does not fit");
        }
        List<String> lines = text.substring(0, last).lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(title)) {
            throw damaged(source, "it does not begin with '" + title + "'");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        List<Entry> entries = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            Matcher field = FIELD.matcher(line);
            if (!field.matches()) {
                throw damaged(source, "a line is not a field");
            }
            if (field.group(1).equals("file")) {
                entries.add(entry(source, field.group(2)));
            } else {
                fields.put(field.group(1), Escaped.parse(field.group(2)));
            }
        }
        return new Manifest(title, fields, entries);
    }

    private static Entry entry(Path source, String text) {
        Matcher file = FILE.matcher(text);
        if (!file.matches()) {
            throw damaged(source, "a line is not a file");
        }
        String path = Escaped.parse(file.group(3));
        for (String name : path.split("/", -1)) {
            // A backslash is never written, and on Windows it leads to another directory, as a drive does.
            if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("\\") || hasRoot(name)) {
                throw damaged(source, "a path leaves the directory");
            }
        }
        return new Entry(
                path,
                Long.parseLong(file.group(1)),
                file.group(2).equals(UNREADABLE)
                        ? Optional.empty()
                        : Optional.of(HexFormat.fromHexDigits(file.group(2))));
    }

    private static boolean hasRoot(String name) {
        try {
            return Path.of(name).getRoot() != null;
        } catch (InvalidPathException notNamedHere) {
            return true;
        }
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static ToolException damaged(Path source, String reason) {
        return new ToolException(
                ExitStatus.NEGATIVE,
                "file=" + source + " is not a manifest that can be trusted: " + reason
                        + "; nothing was changed, restore the file or use another backup");
    }
}
