package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small ext4 file system on a loop device of its own, which counts its flushes and can be cut off; needs root. */
final class LoopDevice {
    private static final long BYTES = 32 << 20;
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

    /** Skips the test where this cannot be had. */
    static LoopDevice mountUnder(Path directory) throws IOException, InterruptedException {
        Path image = directory.toAbsolutePath().resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(BYTES);
        }
        String device =
                Commands.output("losetup", "--find", "--show", image.toString()).orElse("");
        assumeTrue(!device.isEmpty(), "skipped: no loop device can be set up here, it needs root");
        Path mountPoint = Files.createDirectory(image.resolveSibling("mounted"));
        // A rare commit, so that nothing else flushes the device while a test counts.
        boolean mounted = Commands.succeed("mkfs.ext4", "-q", "-F", device)
                && Commands.succeed("mount", "-o", "commit=1000", device, mountPoint.toString());
        if (!mounted) {
            Commands.succeed("losetup", "--detach", device);
        }
        assumeTrue(mounted, "skipped: no ext4 file system can be made and mounted here");
        return new LoopDevice(image, device, mountPoint);
    }

    Path mountPoint() {
        return mountPoint;
    }

    /** How often somebody has asked the device to make everything durable. */
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
