package com.example.notebook;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The format, and its only reader: opening and inspector share it. A file is a row of lines, big-endian. A line is its
 * length (4 bytes), a checksum of the rest (4), whether the key is hidden (1), and four parts, each with its length (4,
 * -1 for none): type, id, committed value, shadow value. The last line of a key counts.
 */
final class NotebookFile {
    static final String NAME = "notebook.log";
    static final String READY = "notebook.ready"; // there has been a log
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    /** A line: what a key has from there on. */
    record Line(StateKey key, StateImage image, long position) {}

    /** All whole lines, and where the first one begins that is not: nobody was told that it is on disk. */
    record Reading(List<Line> lines, long end, long size) {}

    private NotebookFile() {}

    static ByteBuffer encoded(StateKey key, StateImage image) {
        byte[] type = key.type().getBytes(StandardCharsets.UTF_8);
        byte[] id = key.id().toBytes();
        int length = 1 + 4 * Integer.BYTES + type.length + id.length + Math.toIntExact(image.bytes());
        ByteBuffer line = ByteBuffer.allocate(HEADER_BYTES + length);
        line.position(HEADER_BYTES);
        line.put((byte) (image.isHidden() ? 1 : 0));
        for (byte[] part : new byte[][] {type, id, image.committed(), image.shadow()}) {
            line.putInt(part == null ? -1 : part.length);
            if (part != null) {
                line.put(part);
            }
        }
        line.putInt(0, length).putInt(Integer.BYTES, checksum(line.slice(HEADER_BYTES, length)));
        return line.flip();
    }

    static Reading read(Disk disk, Path path) throws IOException {
        ByteBuffer all;
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            all = ByteBuffer.allocate(Math.toIntExact(file.size())); // the whole file: an example
            file.readFully(all, 0);
        }
        all.flip();
        List<Line> lines = new ArrayList<>();
        long end = 0;
        while (all.remaining() >= HEADER_BYTES) {
            int length = all.getInt();
            int checksum = all.getInt();
            if (length <= 0 || length > all.remaining()) {
                break;
            }
            ByteBuffer body = all.slice(all.position(), length);
            if (checksum(body) != checksum) {
                break;
            }
            lines.add(decoded(body, end));
            all.position(all.position() + length);
            end = all.position();
        }
        return new Reading(lines, end, all.limit());
    }

    private static Line decoded(ByteBuffer body, long position) throws IOException {
        try {
            boolean hidden = body.get() != 0;
            StateKey key = StateKey.of(new String(part(body), StandardCharsets.UTF_8), ObjectId.of(part(body)));
            return new Line(key, StateImage.of(part(body), part(body), hidden), position);
        } catch (BufferUnderflowException | IllegalArgumentException | NullPointerException foreign) {
            throw new IOException("offset=" + position + ": a line with a fitting checksum has no form of this format"
                    + "; another program wrote it, or a newer one", foreign);
        }
    }

    private static byte[] part(ByteBuffer body) {
        int length = body.getInt();
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[Math.min(length, body.remaining())];
        body.get(bytes);
        return bytes;
    }

    private static int checksum(ByteBuffer body) {
        CRC32C crc = new CRC32C();
        crc.update(body.duplicate());
        return (int) crc.getValue();
    }
}
