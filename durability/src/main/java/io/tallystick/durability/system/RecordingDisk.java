package io.tallystick.durability.system;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A disk that records each write and each flush, in their order: the only file of a FUSE file system, for use by a loop
 * device. It stops at chosen events, so that the stage can record the promises of that moment. Needs root, perl and
 * {@code /dev/fuse}, and nothing else.
 */
public final class RecordingDisk implements AutoCloseable {
    private static final String SCRIPT = "recording-disk.pl";
    private static final int SECTOR = 512;
    /**
     * The area of ext4's superblock. It has one checksum for two sectors and is written in place, so a torn one does
     * not mount.
     */
    private static final int UNTORN_BYTES = 4096;

    private final Path home;
    private final Path mountPoint;
    private final Path content;
    private final Path record;
    private final Process process;
    private final BufferedReader said;
    private final Thread shutdownHook;
    private boolean isStopped;

    /** One event: a write, or, without bytes, a flush. */
    public record Event(long offset, byte[] bytes) {
        public boolean isFlush() {
            return bytes == null;
        }
    }

    private RecordingDisk(Path home, Path content) throws IOException {
        this.home = home;
        this.content = content;
        this.mountPoint = Files.createDirectory(home.resolve("fuse"));
        this.record = home.resolve("record");
        Path script = home.resolve(SCRIPT);
        try (InputStream resource = RecordingDisk.class.getResourceAsStream(SCRIPT)) {
            Files.copy(resource, script);
        }
        process = new ProcessBuilder(
                        "perl", script.toString(), mountPoint.toString(), content.toString(), record.toString())
                .redirectErrorStream(true)
                .start();
        said = process.inputReader();
        shutdownHook = new Thread(this::removeAtExit, "unmount-fuse");
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /**
     * A disk with that content, which it changes.
     *
     * @param home an empty directory
     */
    public static RecordingDisk of(Path home, Path content) throws IOException {
        RecordingDisk disk = new RecordingDisk(home, content);
        String answer = disk.said.readLine();
        if (!"ready".equals(answer)) {
            disk.close();
            throw new IOException("no disk through /dev/fuse, which needs root and perl: " + answer);
        }
        return disk;
    }

    /** The file to make a loop device of. */
    public Path file() {
        return mountPoint.resolve("disk");
    }

    /** Goes on, and stops again at the event of that number; at none if that is past. */
    public void goOnUntil(long event) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((event + "\n").getBytes(StandardCharsets.US_ASCII));
        in.flush();
    }

    /** Waits until the disk stops, and answers the event; -1 if it has ended. */
    public long awaitStill() throws IOException {
        String line = said.readLine();
        return line == null ? -1 : Long.parseLong(line.substring("at ".length()));
    }

    /** All events so far, in order. */
    public List<Event> events() throws IOException {
        List<Event> events = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(record)))) {
            for (int kind = in.read(); kind >= 0; kind = in.read()) {
                if (kind == 'F') {
                    events.add(new Event(0, null));
                    continue;
                }
                byte[] place = new byte[Long.BYTES + Integer.BYTES];
                in.readFully(place);
                ByteBuffer head = ByteBuffer.wrap(place).order(ByteOrder.LITTLE_ENDIAN);
                long offset = head.getLong();
                byte[] bytes = new byte[head.getInt()];
                in.readFully(bytes);
                events.add(new Event(offset, bytes));
            }
        } catch (EOFException torn) {
            throw new IOException("the record of the disk is torn", torn);
        }
        return events;
    }

    /**
     * Changes an image that holds all writes before the last flush into one that a power cut may leave: with any of the
     * writes since, whole or in part, sector by sector.
     *
     * @param damage 0 keeps none of them, 1 all, any other number a random part
     */
    public static void damage(Path image, List<Event> unflushed, long damage) throws IOException {
        Random random = new Random(damage);
        int keptPercent = damage == 0 ? 0 : damage == 1 ? 100 : random.nextInt(101);
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.WRITE)) {
            for (Event write : unflushed) {
                boolean isTorn = damage > 1 && write.offset >= UNTORN_BYTES && random.nextInt(3) == 0;
                boolean isKept = random.nextInt(100) < keptPercent;
                for (int at = 0; at < write.bytes.length; at += SECTOR) {
                    if (isTorn ? random.nextBoolean() : isKept) {
                        int length = Math.min(SECTOR, write.bytes.length - at);
                        file.write(ByteBuffer.wrap(write.bytes, at, length), write.offset + at);
                    }
                }
            }
        }
    }

    /** Ends the disk; {@link #file} must not be in use any more. */
    public void stop() throws IOException {
        LoopVolume.run(List.of("umount", mountPoint.toString()));
        isStopped = true;
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
        removeAtExit();
        Directories.delete(home);
    }

    private void removeAtExit() {
        try {
            if (!isStopped) {
                LoopVolume.run(List.of("umount", "--lazy", mountPoint.toString()));
            }
        } catch (IOException notMounted) {
            // it was never mounted
        }
        process.destroyForcibly();
    }
}
