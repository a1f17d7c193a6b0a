package io.tallystick.durability.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A file system of its own, in an image in memory where there is one, mounted through a loop device. It goes away with
 * this process at the latest. Needs root.
 */
public final class LoopVolume implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int PATIENCE_SECONDS = 20;
    private static final int UNMOUNT_ATTEMPTS = 40;
    private static final int UNMOUNT_PAUSE_MILLIS = 50;
    private static final String CUT =
            "open(F, '<', $ARGV[0]) or die; syswrite(STDOUT, \"ready\\n\"); sysread(STDIN, $b, 1);"
                    + " my $flags = pack('L', 2); ioctl(F, 0x8004587d, $flags) or die";

    private final Path home;
    private final Path image;
    private final Path directory;
    private final Thread whenTheProcessEnds = new Thread(this::removeAtLast, "unmount");
    private boolean isMounted;

    /** The file systems that can be made. */
    public enum Kind {
        /** Room for some stores of small files. */
        EXT4(64L << 20, "mkfs.ext4", "-q", "-F"),
        /** As small as its maker lets it be. */
        XFS(320L << 20, "mkfs.xfs", "-q", "-f");

        private final long bytes;
        private final List<String> make;

        Kind(long bytes, String... make) {
            this.bytes = bytes;
            this.make = List.of(make);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private LoopVolume(Path home) {
        this.home = home;
        this.image = home.resolve("image");
        this.directory = home.resolve("mounted");
    }

    /** Makes a file system of its usual size; it is not mounted yet. */
    public static LoopVolume make(Kind kind) throws IOException {
        return make(kind, kind.bytes, List.of());
    }

    /** Makes a file system of that size, with more options for its maker. */
    public static LoopVolume make(Kind kind, long bytes, List<String> options) throws IOException {
        LoopVolume volume = new LoopVolume(Files.createTempDirectory(
                Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir")), "tallystick-"));
        Runtime.getRuntime().addShutdownHook(volume.whenTheProcessEnds);
        Files.createDirectory(volume.directory);
        try (RandomAccessFile file = new RandomAccessFile(volume.image.toFile(), "rw")) {
            file.setLength(bytes);
        }
        List<String> command = new ArrayList<>(kind.make);
        command.addAll(options);
        command.add(volume.image.toString());
        run(command);
        return volume;
    }

    /** Why there can be none here; empty if there can. */
    public static Optional<String> unavailableBecause(Kind... kinds) {
        for (Kind kind : kinds) {
            try (LoopVolume volume = make(kind)) {
                volume.mount("defaults");
                try (PowerSwitch power = volume.cutPower()) {
                    power.now();
                }
            } catch (IOException refused) {
                return Optional.of("no " + kind + " in a loop device, which needs root, losetup, " + kind.make.get(0)
                        + " and perl: " + refused.getMessage());
            }
        }
        return Optional.empty();
    }

    public Path image() {
        return image;
    }

    /** Where it is mounted. */
    public Path directory() {
        return directory;
    }

    public void mount(String options) throws IOException {
        run(List.of("mount", "-o", "loop," + options, image.toString(), directory.toString()));
        isMounted = true;
    }

    /** Mounts what another file holds, instead of its own image. */
    public void mountFrom(Path disk) throws IOException {
        run(List.of("mount", "-o", "loop", disk.toString(), directory.toString()));
        isMounted = true;
    }

    /** A process that died may hold it for a moment longer. */
    public void unmount() throws IOException {
        IOException refused = null;
        for (int i = 0; i < UNMOUNT_ATTEMPTS && isMounted; i++) {
            try {
                run(List.of("umount", directory.toString()));
                isMounted = false;
            } catch (IOException busy) {
                refused = busy;
                pause();
            }
        }
        if (isMounted) {
            throw refused;
        }
    }

    /** Something that ends all writing to the device at once when it is told to. */
    public static final class PowerSwitch implements AutoCloseable {
        private final Process process;

        private PowerSwitch(Process process) {
            this.process = process;
        }

        /** Returns when nothing is written any more. */
        public void now() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            await(process, List.of("perl", "shutdown ioctl"));
        }

        /** It holds the file system until then. */
        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            LoopVolume.awaitEnd(process);
        }
    }

    /** Makes ready to cut the power. */
    public PowerSwitch cutPower() throws IOException {
        Process process = new ProcessBuilder("perl", "-e", CUT, directory.toString())
                .redirectErrorStream(true)
                .start();
        if (process.getInputStream().read() != 'r') {
            throw new IOException("perl cannot open " + directory);
        }
        return new PowerSwitch(process);
    }

    @Override
    public void close() throws IOException {
        try {
            unmount();
        } catch (IOException busy) {
            // A store that leaks files was told of; the kernel lets go of them with the process.
            run(List.of("umount", "--lazy", directory.toString()));
            isMounted = false;
        }
        Files.deleteIfExists(image);
        Files.deleteIfExists(directory);
        Files.deleteIfExists(home);
        Runtime.getRuntime().removeShutdownHook(whenTheProcessEnds);
    }

    private void removeAtLast() {
        try {
            if (isMounted) {
                run(List.of("umount", "--lazy", directory.toString()));
            }
            Files.deleteIfExists(image);
            Files.deleteIfExists(directory);
            Files.deleteIfExists(home);
        } catch (IOException left) {
            System.err.println(directory + " is left behind: " + left.getMessage());
        }
    }

    public static void run(List<String> command) throws IOException {
        await(new ProcessBuilder(command).redirectErrorStream(true).start(), command);
    }

    private static void await(Process process, List<String> command) throws IOException {
        String said = new String(process.getInputStream().readAllBytes());
        if (awaitEnd(process) != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + said.strip());
        }
    }

    private static int awaitEnd(Process process) throws IOException {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("a process does not end: " + process.info());
            }
            return process.exitValue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(UNMOUNT_PAUSE_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }
}
