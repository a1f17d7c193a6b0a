package io.tallystick.nativeio;

import io.tallystick.storage.ChildJvm;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process of its own that writes through a device and says on its output what became of each write:
 * {@code ACK n count} or {@code ERR n message}, and {@code DONE} after the file is closed; or
 * {@code UNAVAILABLE reason}.
 *
 * <p>Arguments: {@code probe device directory}, {@code write device file writes bytes}, or {@code take kind directory},
 * which says {@code TAKEN} or {@code REFUSED reason}.
 */
final class WriterProcess {
    private WriterProcess() {}

    /** This process in a JVM like this one, whose output is kept in the directory. */
    static ChildJvm inAJvm(Path directory) {
        return ChildJvm.of(WriterProcess.class).withOutputIn(directory).withErrorsApart();
    }

    /** As {@link #inAJvm}, without the classes that only JDK 22 and later have. */
    static ChildJvm inAJvmBefore22(Path directory) {
        return inAJvm(directory).without("META-INF/versions/22");
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("take")) {
            take(arguments[1], Path.of(arguments[2]));
            return;
        }
        DiskDevice device = DiskDevice.named(arguments[1]).orElseThrow();
        Path path = Path.of(arguments[2]);
        if (arguments[0].equals("probe")) {
            Optional<String> reason = device.unavailableBecause(path);
            System.out.println(reason.map(sentence -> "UNAVAILABLE " + sentence).orElse("AVAILABLE"));
        } else {
            write(device.over(new SystemDisk()), path, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
        }
    }

    /** Opens the file; a first failure is told as {@code ERR open message}. */
    private static DiskFile open(Disk disk, Path path) throws IOException {
        try {
            return disk.open(path, OpenMode.DIRECT_SYNC);
        } catch (IOException refused) {
            System.out.println("ERR open " + refused.getMessage());
            return disk.open(path, OpenMode.DIRECT_SYNC);
        }
    }

    private static void take(String kind, Path directory) throws IOException {
        try (StoreDirectory taken = StoreDirectory.take(new SystemDisk(), directory, kind, true)) {
            System.out.println("TAKEN " + taken.path());
        } catch (StoreDirectoryException refused) {
            System.out.println("REFUSED " + refused.reason());
        }
    }

    private static void write(Disk disk, Path path, int writes, int bytes) throws IOException {
        try (DiskFile file = open(disk, path)) {
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
