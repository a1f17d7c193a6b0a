package io.tallystick.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The place of a directory, as far as the operating system tells. A measurement of the disk that was made there says
 * something about another time only if the place is the same. A part that the system does not tell is empty.
 *
 * @param device the device, its write cache and its serial number, such as {@code /dev/sda1 write back 2c8a}
 * @param fileSystem the type of the file system, such as {@code ext4}
 * @param options of the mount, such as {@code rw,relatime}
 * @param directory the number of the directory in the file system; a copy of the directory has another one
 * @param machine a checksum of the machine's id
 */
public record DiskPlace(String device, String fileSystem, String options, String directory, String machine) {
    private static final Path MACHINE_ID = Path.of("/etc/machine-id");
    private static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");
    private static final List<String> SERIAL_NUMBERS = List.of("wwid", "device/wwid", "serial", "device/serial");

    public DiskPlace {
        Objects.requireNonNull(device);
        Objects.requireNonNull(fileSystem);
        Objects.requireNonNull(options);
        Objects.requireNonNull(directory);
        Objects.requireNonNull(machine);
    }

    /** The place of an existing directory on this machine. */
    static DiskPlace of(Path directory) throws IOException {
        Mount mount = Mount.of(directory);
        boolean isUnix = directory.getFileSystem().supportedFileAttributeViews().contains("unix");
        Map<String, Object> numbers = isUnix ? Files.readAttributes(directory, "unix:dev,ino") : Map.of();
        String device = String.join(
                " ", mount.source(), mount.writeCache().orElse(""), serialNumber((Long) numbers.get("dev")));
        return new DiskPlace(
                device.strip(), mount.type(), mount.options(), number(numbers.get("ino")), checksum(fact(MACHINE_ID)));
    }

    /** An inode's number without a sign; empty where the system tells none. */
    static String number(@Nullable Object inode) {
        return inode instanceof Long number ? Long.toUnsignedString(number) : "";
    }

    /** A partition has the number where its disk is. */
    private static String serialNumber(@Nullable Long device) {
        if (device == null) {
            return "";
        }
        long major = device >> 8 & 0xfff;
        long minor = device & 0xff | device >> 12 & 0xfff00;
        try {
            Path real = BLOCK_DEVICES.resolve(major + ":" + minor).toRealPath();
            for (Path at : List.of(real, real.getParent())) {
                for (String file : SERIAL_NUMBERS) {
                    String number = fact(at.resolve(file));
                    if (!number.isEmpty()) {
                        return number;
                    }
                }
            }
        } catch (IOException notTold) {
            // no block device, or a container that does not show it
        }
        return "";
    }

    private static String fact(Path file) {
        try {
            return SystemRules.HERE.hasUnixDevices() && Files.isReadable(file)
                    ? Files.readString(file, StandardCharsets.ISO_8859_1).strip()
                    : "";
        } catch (IOException notTold) {
            return "";
        }
    }

    /** The id itself must not leave the machine. */
    private static String checksum(String machineId) {
        if (machineId.isEmpty()) {
            return "";
        }
        CRC32C crc = new CRC32C();
        crc.update(machineId.getBytes(StandardCharsets.ISO_8859_1));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
