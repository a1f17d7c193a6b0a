package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A small file system on a loop device of its own, which counts its flushes and can be cut off; needs root. */
final class LoopDevice {
    // Column of /sys/block/DEVICE/stat.
    private static final int FLUSHES = 15;

    private final Path image;
    private final String device;
    private final Path mountPoint;

    private LoopDevice(Path image, String device, Path mountPoint) {
        this.image = image;
        this.device = device;
        this.mountPoint = mountPoint;
    }

    /** The file systems that can be made. */
    enum FileSystem {
        /** A rare commit, so that nothing else flushes the device while a test counts. */
        EXT4(32L << 20, "commit=1000", "mkfs.ext4", "-q", "-F"),
        /** As small as its maker lets it be. */
        XFS(320L << 20, "defaults", "mkfs.xfs", "-q", "-f");

        private final long bytes;
        private final String mountOption;
        private final List<String> make;

        FileSystem(long bytes, String mountOption, String... make) {
            this.bytes = bytes;
            this.mountOption = mountOption;
            this.make = List.of(make);
        }

        private boolean makeOn(String device) throws InterruptedException {
            List<String> command = new ArrayList<>(make);
            command.add(device);
            return Commands.succeed(command.toArray(String[]::new));
        }
    }

    /** Skips the test where this cannot be had. */
    static LoopDevice mountUnder(Path directory, FileSystem fileSystem) throws IOException, InterruptedException {
        Path image = directory.toAbsolutePath().resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(fileSystem.bytes);
        }
        String device =
                Commands.output("losetup", "--find", "--show", image.toString()).orElse("");
        assumeTrue(!device.isEmpty(), "skipped: no loop device can be set up here, it needs root");
        Path mountPoint = Files.createDirectory(image.resolveSibling("mounted"));
        boolean mounted = fileSystem.makeOn(device)
                && Commands.succeed("mount", "-o", fileSystem.mountOption, device, mountPoint.toString());
        if (!mounted) {
            Commands.succeed("losetup", "--detach", device);
        }
        assumeTrue(mounted, "skipped: no " + fileSystem + " can be made and mounted here");
        return new LoopDevice(image, device, mountPoint);
    }

    Path mountPoint() {
        return mountPoint;
    }

    /** How often the device was asked to make everything durable. */
    long flushes() throws IOException {
        Path statistics = Path.of("/sys/block", Path.of(device).getFileName().toString(), "stat");
        return Long.parseLong(Files.readString(statistics).trim().split("\\s+")[FLUSHES]);
    }

    /** Ends all writing to the device at once, as if its power were cut, by the file system's shutdown ioctl. */
    void cutOff() throws InterruptedException {
        boolean shutDown = Commands.succeed(
                "perl",
                "-e",
                "my $flags = pack('L', 2); open(F, '<', $ARGV[0]) or die; ioctl(F, 0x8004587d, $flags) or die",
                mountPoint.toString());
        assumeTrue(
                shutDown,
                "skipped: the file system cannot be shut down here, it needs perl and a Linux kernel from 5.x");
    }

    void remove() throws IOException, InterruptedException {
        assertThat(Commands.succeed("umount", mountPoint.toString())).isTrue();
        assertThat(Commands.succeed("losetup", "--detach", device)).isTrue();
        Files.delete(mountPoint);
        Files.delete(image);
    }
}
