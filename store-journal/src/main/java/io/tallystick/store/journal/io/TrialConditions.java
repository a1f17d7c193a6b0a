package io.tallystick.store.journal.io;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/** The conditions of a trial of the ways to the disk. Its outcome holds only as long as all of them stay the same. */
final class TrialConditions {
    /** The names, in the order of the lines of the file. */
    static final List<String> NAMES =
            List.of("ways", "device", "filesystem", "options", "directory", "machine", "kernel", "jdk");

    private static final int MAX_VALUE_CHARS = 160;

    private final Map<String, String> values;

    private TrialConditions(UnaryOperator<String> values) {
        this.values = new LinkedHashMap<>();
        NAMES.forEach(name -> this.values.put(name, values.apply(name)));
    }

    /** The conditions in this directory now. Reads, and loads no native code. */
    static TrialConditions in(Path directory, Disk disk, List<String> supported) throws IOException {
        return of(supported, disk.placeOf(directory), System.getProperties());
    }

    /**
     * The conditions at this place.
     *
     * @param supported the ways of the engine; those count whose device is on the class path
     * @param system the system properties
     */
    static TrialConditions of(List<String> supported, DiskPlace place, Properties system) {
        List<String> devices = DiskDevice.all().stream().map(DiskDevice::name).toList();
        String ways = supported.stream()
                .filter(way -> !LogIo.needsDevice(way) || devices.contains(way))
                .collect(Collectors.joining(","));
        return new TrialConditions(name -> printable(
                switch (name) {
                    case "ways" -> ways;
                    case "device" -> place.device();
                    case "filesystem" -> place.fileSystem();
                    case "options" -> place.options();
                    case "directory" -> place.directory();
                    case "machine" -> place.machine();
                    case "kernel" -> joined(system, "os.name", "os.version", "os.arch");
                    case "jdk" -> joined(system, "java.vm.vendor", "java.vm.version");
                    default -> throw new IllegalArgumentException(name);
                }));
    }

    /** The conditions with these values by their names. */
    static TrialConditions ofValues(UnaryOperator<String> values) {
        return new TrialConditions(values);
    }

    private static String joined(Properties system, String... names) {
        return List.of(names).stream()
                .map(name -> system.getProperty(name, ""))
                .collect(Collectors.joining(" "))
                .strip();
    }

    /** The value in printable ASCII. The end of a long one is only a checksum, as for the options of an overlay. */
    private static String printable(String value) {
        String ascii = value.replaceAll("[^ -~]", "?");
        if (ascii.length() <= MAX_VALUE_CHARS) {
            return ascii;
        }
        CRC32C crc = new CRC32C();
        crc.update(value.getBytes(StandardCharsets.UTF_8));
        String checksum = HexFormat.of().toHexDigits((int) crc.getValue());
        return ascii.substring(0, MAX_VALUE_CHARS - checksum.length() - 1) + "~" + checksum;
    }

    /** The first difference between these conditions and earlier ones; empty if there is none. */
    Optional<String> differenceFrom(TrialConditions earlier) {
        return NAMES.stream()
                .filter(name -> !values.get(name).equals(earlier.values.get(name)))
                .findFirst()
                .map(name -> name + " was '" + earlier.values.get(name) + "' and is '" + values.get(name) + "'");
    }

    /** One line for each condition. */
    String lines() {
        return values.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue() + "\n")
                .collect(Collectors.joining());
    }
}
