package io.tallystick.nativeio;

import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that Java opened with {@code O_DIRECT | O_DSYNC}, and the number of its descriptor.
 *
 * <p>Java hides the number. The native library's own way to open files follows links, creates missing files and cannot
 * ask for {@code O_DSYNC}. But a channel can be marked with a random position. The descriptor at which {@code
 * /proc/self/fdinfo} shows this position is the channel's. The mark is made twice, so that no other descriptor matches
 * by chance.
 */
final class OwnDescriptor implements Descriptor {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fdinfo");
    private static final String POSITION = "pos:";

    // Kept reachable, because an unreachable channel closes its descriptor.
    private final FileChannel channel;
    private final int number;

    private OwnDescriptor(FileChannel channel, int number) {
        this.channel = channel;
        this.number = number;
    }

    /** Opens an existing file; an interrupt of the calling thread does not prevent it. */
    static OwnDescriptor open(Path file) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                // A channel whose position is set by an interrupted thread closes.
                interrupted |= Thread.interrupted();
                try {
                    return openUnlessInterrupted(file);
                } catch (ClosedByInterruptException again) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private static OwnDescriptor openUnlessInterrupted(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, SystemDisk.options(OpenMode.DIRECT_SYNC));
        try {
            return new OwnDescriptor(channel, numberOf(channel, file));
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    private static int numberOf(FileChannel channel, Path file) throws IOException {
        List<Integer> candidates = descriptorsAt(mark(channel));
        candidates.retainAll(descriptorsAt(mark(channel)));
        channel.position(0);
        if (candidates.size() != 1) {
            throw new IOException("file=" + file + ": of the descriptors in " + DESCRIPTORS + ", " + candidates
                    + " could be this file's, and one is needed. Look whether /proc is mounted");
        }
        return candidates.get(0);
    }

    private static long mark(FileChannel channel) throws IOException {
        long position = ThreadLocalRandom.current().nextLong(1L << 20, 1L << 31);
        channel.position(position);
        return position;
    }

    private static List<Integer> descriptorsAt(long position) throws IOException {
        List<Integer> numbers = new ArrayList<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                if (positionOf(descriptor) == position) {
                    numbers.add(Integer.valueOf(descriptor.getFileName().toString()));
                }
            }
        }
        return numbers;
    }

    private static long positionOf(Path descriptor) {
        try {
            for (String line : Files.readAllLines(descriptor)) {
                if (line.startsWith(POSITION)) {
                    return Long.parseLong(line.substring(POSITION.length()).trim());
                }
            }
            return -1;
        } catch (IOException closedMeanwhile) {
            return -1;
        }
    }
}
