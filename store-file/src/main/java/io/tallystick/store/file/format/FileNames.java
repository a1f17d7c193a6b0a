package io.tallystick.store.file.format;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names of keys on disk. Example: {@code states/+atomic+action/0a1b.state} is id {@code 0a1b} of type {@code
 * /AtomicAction}. Different keys have different names even where upper and lower case are one, and no name leaves the
 * directory that it stands in. docs/format/file-v1.md has the rules.
 */
public final class FileNames {
    /** The directory, in the store's own, that holds all types. */
    public static final String ROOT = "states";

    public static final String STATE_SUFFIX = ".state";
    static final String SPARE_SUFFIX = ".spare";

    /**
     * The longest part of a directory's name before {@link #CONTINUED}, characters; some file systems end names at 143.
     */
    public static final int MAX_PIECE_CHARS = 120;

    /** Ends the name of a directory whose element goes on in the next directory. */
    static final char CONTINUED = '~';

    private static final char UPPER_CASE = '+';
    private static final char BYTE = '%';
    private static final HexFormat HEX = HexFormat.of();
    private static final Pattern SPARE = Pattern.compile("[0-9a-f]{16}\\.spare");
    private static final Pattern DIRECTORY =
            Pattern.compile("(?:[a-z0-9_]|\\+[a-z]|%[0-9a-f]{2}){1," + MAX_PIECE_CHARS + "}~?");

    // In every directory of Windows these are devices. No state's name is one: an id is hexadecimal.
    private static final Pattern DEVICE = Pattern.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]");

    private FileNames() {}

    /** The names of the directories, outermost first, in which the states of a type stand. */
    public static List<String> directoriesOf(String type) {
        return directoriesOf(type, true);
    }

    /**
     * The names that the first stores gave to the directories of a type, outermost first. They differ from the others
     * if an element is the name of a device of Windows; then a store goes on with the directory that it finds.
     */
    public static List<String> earlyDirectoriesOf(String type) {
        return directoriesOf(type, false);
    }

    private static List<String> directoriesOf(String type, boolean isDeviceEscaped) {
        List<String> names = new ArrayList<>();
        for (String element : type.substring(1).split("/")) {
            addDirectories(element, isDeviceEscaped && DEVICE.matcher(element).matches(), names);
        }
        return names;
    }

    private static void addDirectories(String element, boolean isFirstEscaped, List<String> names) {
        StringBuilder name = new StringBuilder();
        for (byte octet : element.getBytes(StandardCharsets.UTF_8)) {
            String escaped = isFirstEscaped && name.length() == 0
                    ? BYTE + HEX.toHexDigits(octet)
                    : escaped((char) (octet & 0xff));
            if (name.length() + escaped.length() > MAX_PIECE_CHARS) {
                names.add(name.append(CONTINUED).toString());
                name.setLength(0);
            }
            name.append(escaped);
        }
        names.add(name.toString());
    }

    private static String escaped(char c) {
        if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
            return String.valueOf(c);
        }
        if (c >= 'A' && c <= 'Z') {
            return "" + UPPER_CASE + (char) (c - 'A' + 'a');
        }
        return BYTE + HEX.toHexDigits((byte) c);
    }

    /** The type whose states stand in these directories, outermost first; empty if no type's do. */
    public static Optional<String> typeOf(List<String> directories) {
        ByteArrayOutputStream type = new ByteArrayOutputStream();
        boolean begins = true;
        for (String name : directories) {
            if (!isDirectory(name)) {
                return Optional.empty();
            }
            if (begins) {
                type.write('/');
            }
            begins = name.charAt(name.length() - 1) != CONTINUED;
            addBytes(name, type);
        }
        String text = type.toString(StandardCharsets.UTF_8);
        try {
            StateKey.checkType(text);
            return begins
                            && (directoriesOf(text).equals(directories)
                                    || earlyDirectoriesOf(text).equals(directories))
                    ? Optional.of(text)
                    : Optional.empty();
        } catch (IllegalArgumentException noType) {
            return Optional.empty();
        }
    }

    private static void addBytes(String name, ByteArrayOutputStream type) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            switch (c) {
                case UPPER_CASE -> type.write(name.charAt(++i) - 'a' + 'A');
                case BYTE -> {
                    type.write(HexFormat.fromHexDigits(name, i + 1, i + 3));
                    i += 2;
                }
                case CONTINUED -> {
                    // the end
                }
                default -> type.write(c);
            }
        }
    }

    /** Whether {@link #directoriesOf} may give this name. */
    public static boolean isDirectory(String name) {
        return DIRECTORY.matcher(name).matches();
    }

    /** The name of a key's file. */
    public static String stateOf(ObjectId id) {
        return id + STATE_SUFFIX;
    }

    /** The id whose file has this name; empty if no id's file has. */
    public static Optional<ObjectId> idOf(String name) {
        if (!name.endsWith(STATE_SUFFIX)) {
            return Optional.empty();
        }
        try {
            ObjectId id = ObjectId.parse(name.substring(0, name.length() - STATE_SUFFIX.length()));
            return stateOf(id).equals(name) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException notAnId) {
            return Optional.empty();
        }
    }

    /** The name of a file that holds no state. */
    public static String spare(long number) {
        return HEX.toHexDigits(number) + SPARE_SUFFIX;
    }

    /** Whether {@link #spare} gives this name. */
    public static boolean isSpare(String name) {
        return SPARE.matcher(name).matches();
    }
}
