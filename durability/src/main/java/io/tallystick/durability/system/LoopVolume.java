package io.tallystick.durability.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A new file system in an image file, mounted through a loop device. The image lies in memory if the machine has such a
 * directory. It is removed with this process at the latest. Needs root.
 */
public final class LoopVolume implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final Path EXT4 = Path.of("/sys/fs/ext4");
    private static final int PATIENCE_SECONDS = 20;
    private static final int UNMOUNT_ATTEMPTS = 40;
    private static final int UNMOUNT_PAUSE_MILLIS = 50;
    private static final String CUT =
            "open(F, '<', $ARGV[0]) or die; syswrite(STDOUT, \"ready\\n\"); sysread(STDIN, $b, 1);"
                    + " my $flags = pack('L', 2); ioctl(F, 0x8004587d, $flags) or die";

    private final Path home;
    private final Path image;
    private final Path directory;
    private final Thread shutdownHook = new Thread(this::removeAtExit, "unmount");
    private boolean isMounted;

    /** The file systems that can be made. */
    public enum Kind {
        /** Room for some stores of small files. */
        EXT4(64L << 20, "mkfs.ext4", "-q", "-F"),
        /** The smallest size that its mkfs allows. */
        XFS(320L << 20, "mkfs.xfs", "-q", "-f"),
        /** Room for two stores: a snapshot shares nothing that was written again since. */
        BTRFS(400L << 20, "mkfs.btrfs", "-q", "-f");

        private final long bytes;
        private final List<String> make;

        Kind(long bytes, String... make) {
            this.bytes = bytes;
            this.make = List.of(make);
        }

        /** Its usual size. */
        public long bytes() {
            return bytes;
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

    /** Makes a file system of that size, with more options for its mkfs. */
    public static LoopVolume make(Kind kind, long bytes, List<String> options) throws IOException {
        LoopVolume volume = new LoopVolume(Files.createTempDirectory(
                Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir")), "tallystick-"));
        Runtime.getRuntime().addShutdownHook(volume.shutdownHook);
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

    /** Why such file systems, and power cuts of them, do not work on this machine; empty if they do. */
    public static Optional<String> unavailableBecause(Kind... kinds) {
        for (Kind kind : kinds) {
            Optional<String> reason = unavailableBecause(kind, " and perl", volume -> {
                try (PowerSwitch power = volume.cutPower()) {
                    power.now();
                }
            });
            if (reason.isPresent()) {
                return reason;
            }
        }
        return Optional.empty();
    }

    /** Why such a file system cannot be mounted on this machine; empty if it can. */
    public static Optional<String> cannotBeMountedBecause(Kind kind) {
        return unavailableBecause(kind, "", volume -> {});
    }

    private static Optional<String> unavailableBecause(Kind kind, String further, Trial trial) {
        try (LoopVolume volume = make(kind)) {
            volume.mount("defaults");
            trial.on(volume);
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("no " + kind + " in a loop device, which needs root, losetup, " + kind.make.get(0)
                    + further + ": " + refused.getMessage());
        }
    }

    /** What must work on a mounted volume. */
    @FunctionalInterface
    private interface Trial {
        void on(LoopVolume volume) throws IOException;
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

    /** Mounts another file instead of its own image. */
    public void mountFrom(Path disk) throws IOException {
        run(List.of("mount", "-o", "loop", disk.toString(), directory.toString()));
        isMounted = true;
    }

    /** Unmounts, with several attempts, because a process that died may hold the file system for a moment longer. */
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

    /** A process that ends all writing to the device on command. */
    public static final class PowerSwitch implements AutoCloseable {
        private final Process process;

        private PowerSwitch(Process process) {
            this.process = process;
        }

        /** Cuts the power, and returns when the device takes no writes any more. */
        public void now() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            await(process, List.of("perl", "shutdown ioctl"));
        }

        /** Ends the process, which holds the file system until then. */
        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            LoopVolume.awaitEnd(process);
        }
    }

    /** Has ext4 report an error of its own: mounted with {@code errors=remount-ro}, it is read-only from then on. */
    public void switchToReadOnly() throws IOException {
        String device = Files.readAllLines(MOUNTS).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[1].equals(directory.toString()))
                .map(fields -> Path.of(fields[0]).getFileName().toString())
                .findFirst()
                .orElseThrow(() -> new IOException(directory + " is not mounted"));
        Files.writeString(EXT4.resolve(device).resolve("trigger_fs_error"), "1\n");
    }

    /** Prepares a power cut. */
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
            // A leak of files was reported already; the kernel closes them with the process.
            run(List.of("umount", "--lazy", directory.toString()));
            isMounted = false;
        }
        Files.deleteIfExists(image);
        Files.deleteIfExists(directory);
        Files.deleteIfExists(home);
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
    }

    private void removeAtExit() {
        try {
            if (isMounted) {
                run(List.of("umount", "--lazy", directory.toString()));
            }
            Files.deleteIfExists(image);
            Files.deleteIfExists(directory);
            Files.deleteIfExists(home);
        } catch (IOException left) {
            System.err.println(directory + " is not removed: " + left.getMessage());
        }
    }

    public static void run(List<String> command) throws IOException {
        await(new ProcessBuilder(command).redirectErrorStream(true).start(), command);
    }

    private static void await(Process process, List<String> command) throws IOException {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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
