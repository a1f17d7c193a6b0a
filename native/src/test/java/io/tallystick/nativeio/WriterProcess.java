package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process of its own that writes through a device and says on its output what became of each write: {@code ACK n count}
 * or {@code ERR n message}, and {@code DONE} after the file is closed; or {@code UNAVAILABLE reason}.
 *
 * <p>Arguments: {@code probe device directory}, or {@code write device file writes bytes}.
 */
final class WriterProcess {
    private WriterProcess() {}

    public static void main(String[] arguments) throws IOException {
        DiskDevice device = DiskDevice.named(arguments[1]).orElseThrow();
        Path path = Path.of(arguments[2]);
        if (arguments[0].equals("probe")) {
            Optional<String> reason = device.unavailableBecause(path);
            System.out.println(reason.map(sentence -> "UNAVAILABLE " + sentence).orElse("AVAILABLE"));
        } else {
            write(device.over(new SystemDisk()), path, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
        }
    }

    private static void write(Disk disk, Path path, int writes, int bytes) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.DIRECT_SYNC)) {
            for (int i = 0; i < writes; i++) {
                ByteBuffer source = Buffers.aligned(bytes, disk.directAlignment(path.getParent()));
                for (int at = 0; at < bytes; at++) {
                    source.put(at, (byte) (i + 1));
                }
                try {
                    System.out.println("ACK " + i + " " + file.write(source, (long) i * bytes));
                } catch (IOException failed) {
                    System.out.println("ERR " + i + " " + failed.getMessage());
                }
            }
        }
        System.out.println("DONE");
    }
}
