package io.tallystick.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The place where a store was made, in a file of its own. So an opening notices that it has a copy of the directory.
 * docs/format/directory-v1.md describes the file, and docs/place.md the comparison.
 *
 * @param store id of the store
 * @param path of the directory, links resolved, in the {@linkplain #encoded form} of the file
 * @param machine checksum of the machine's id; empty where it is not known
 * @param directory number of the directory in its file system; empty where it is not known
 * @param host name of the machine, in the form of the file, for people
 * @param since time of the note, for people
 * @param accepted why a copy was accepted, in the form of the file; empty if it was not
 */
record PlaceNote(
        UUID store, String path, String machine, String directory, String host, String since, String accepted) {
    /** The file, in the store's directory. */
    static final String FILE_NAME = "tallystick.place";

    private static final int MAX_FILE_BYTES = 16 * 1024;
    private static final int MAX_TEXT_CHARS = 3000;
    private static final ChecksummedText TEXT = new ChecksummedText(
            MAX_FILE_BYTES,
            "tallystick-place",
            "store=(?<store>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\npath=(?<path>[!-~]{1,3000})\n"
                    + "machine=(?<machine>[0-9a-f]{0,8})\ndirectory=(?<directory>[0-9]{0,20})\n"
                    + "host=(?<host>[!-~]{0,3000})\nsince=(?<since>[0-9TZ:.+-]{1,40})\n"
                    + "accepted=(?<accepted>[!-~]{0,3000})\n",
            "says where a store was made",
            "no state depends on it");

    /** File systems that may number a directory anew at each mount. */
    private static final Pattern UNSTABLE_NUMBERS = Pattern.compile("fuse.*|9p|cifs|smb3|vfat|exfat");

    /** What the difference between two places means. */
    enum Verdict {
        /** The store is where it was made. */
        HOME,
        /** The directory was moved, or its volume is attached elsewhere. */
        MOVED,
        /** The directory is a copy. */
        COPY,
        /** It was moved or copied, and the system does not tell which. */
        UNCLEAR
    }

    /** The place of the directory now, links resolved. What the system does not tell is empty. */
    static PlaceNote here(Disk disk, Path directory, UUID store) {
        String machine = "";
        String number = "";
        try {
            DiskPlace place = disk.placeOf(directory);
            machine = place.machine();
            number = UNSTABLE_NUMBERS.matcher(place.fileSystem()).matches() ? "" : place.directory();
        } catch (IOException notTold) {
            // the path alone is compared
        }
        return new PlaceNote(
                store,
                encoded(directory.toString()),
                machine,
                number,
                encoded(HostName.ofThisMachine()),
                Instant.now().toString(),
                "");
    }

    /**
     * The note in the directory; empty if there is none.
     *
     * @throws StoreDirectoryException it is damaged, or a newer library wrote it
     */
    static Optional<PlaceNote> read(Disk disk, Path directory) throws IOException {
        return TEXT.read(disk, directory.resolve(FILE_NAME)).map(PlaceNote::of);
    }

    /**
     * The note of this store in the directory; empty if there is none.
     *
     * @throws StoreDirectoryException it is damaged or another store's, or a newer library wrote it
     */
    static Optional<PlaceNote> read(Disk disk, Path directory, UUID store) throws IOException {
        Optional<PlaceNote> found = read(disk, directory);
        if (found.isPresent() && !found.get().store.equals(store)) {
            throw TEXT.corrupt(
                    directory.resolve(FILE_NAME),
                    "it belongs to the store with id " + found.get().store + ", not to " + store);
        }
        return found;
    }

    private static PlaceNote of(Matcher lines) {
        return new PlaceNote(
                UUID.fromString(lines.group("store")),
                lines.group("path"),
                lines.group("machine"),
                lines.group("directory"),
                lines.group("host"),
                lines.group("since"),
                lines.group("accepted"));
    }

    /** Makes the note in the directory or replaces it; on disk when the call returns. */
    void write(Disk disk, Path inDirectory) throws IOException {
        TEXT.write(
                disk,
                inDirectory.resolve(FILE_NAME),
                "store=" + store + "\npath=" + path + "\nmachine=" + machine + "\ndirectory=" + directory + "\nhost="
                        + host + "\nsince=" + since + "\naccepted=" + accepted + "\n");
    }

    /** The same place for another store. */
    PlaceNote ofStore(UUID another) {
        return new PlaceNote(another, path, machine, directory, host, since, accepted);
    }

    /** The same place, accepted for this reason. */
    PlaceNote acceptedBecause(String reason) {
        return new PlaceNote(store, path, machine, directory, host, since, encoded(reason));
    }

    /** This place with what an earlier note of the same place knows and the system does not tell now. */
    PlaceNote completedBy(PlaceNote earlier) {
        return new PlaceNote(
                store,
                path,
                machine.isEmpty() ? earlier.machine : machine,
                directory.isEmpty() ? earlier.directory : directory,
                host,
                since,
                earlier.accepted);
    }

    /** Whether everything is the same that is compared. */
    boolean isSamePlace(PlaceNote other) {
        return path.equals(other.path) && machine.equals(other.machine) && directory.equals(other.directory);
    }

    /** Compares the note with the place of now. The disk is asked whether the store still lies at the noted path. */
    Verdict comparedWith(PlaceNote now, Disk disk, Path here) {
        boolean isSamePath = path.equals(now.path);
        if (isSamePath && !differ(machine, now.machine)) {
            return Verdict.HOME;
        }
        if (directory.isEmpty() || now.directory.isEmpty()) {
            return Verdict.UNCLEAR;
        }
        boolean isOther = !directory.equals(now.directory) || !isSamePath && isStillAtNotedPath(disk, here);
        return isOther ? Verdict.COPY : Verdict.MOVED;
    }

    private static boolean differ(String one, String other) {
        return !one.isEmpty() && !other.isEmpty() && !one.equals(other);
    }

    /** Whether another directory, at the noted path, has the same store: this one may be an image of its volume. */
    private boolean isStillAtNotedPath(Disk disk, Path here) {
        try {
            Path there = here.getFileSystem().getPath(decoded(path));
            Optional<PathIdentity> original = disk.identityOf(there);
            Optional<PathIdentity> present = disk.identityOf(here);
            if (original.isEmpty()
                    || present.isEmpty()
                    || original.get().kind() != Disk.PathKind.DIRECTORY
                    || original.get().key().isEmpty()
                    || original.get().isSameFile(present.get())) {
                return false;
            }
            return disk.kindOf(there.resolve(StoreIdentity.FILE_NAME)) == Disk.PathKind.FILE
                    && StoreIdentity.read(disk, there)
                            .filter(identity -> identity.id().equals(store))
                            .isPresent();
        } catch (IOException | InvalidPathException notThere) {
            return false;
        }
    }

    /** The place, for people. */
    String description() {
        String text = "path=" + decoded(path).replaceAll("\\p{C}", "?");
        text += host.isEmpty() ? "" : " host=" + decoded(host).replaceAll("\\p{C}", "?");
        text += machine.isEmpty() ? "" : " machine=" + machine;
        return text + (directory.isEmpty() ? "" : " directory-number=" + directory);
    }

    /** The text in printable ASCII without a space; the end of a long one is only a checksum. */
    private static String encoded(String text) {
        StringBuilder ascii = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (each > ' ' && each < 0x7f && each != '%') {
                ascii.append((char) each);
            } else {
                ascii.append('%').append(HexFormat.of().toHexDigits(each));
            }
        }
        if (ascii.length() <= MAX_TEXT_CHARS) {
            return ascii.toString();
        }
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        String checksum = "~" + HexFormat.of().toHexDigits((int) crc.getValue());
        return ascii.substring(0, MAX_TEXT_CHARS - checksum.length()) + checksum;
    }

    /** The text of its form in the file. What has another form stands for itself. */
    private static String decoded(String ascii) {
        byte[] bytes = new byte[ascii.length()];
        int length = 0;
        for (int i = 0; i < ascii.length(); i++) {
            boolean isEscape = ascii.charAt(i) == '%'
                    && i + 2 < ascii.length()
                    && HexFormat.isHexDigit(ascii.charAt(i + 1))
                    && HexFormat.isHexDigit(ascii.charAt(i + 2));
            bytes[length++] = isEscape ? (byte) HexFormat.fromHexDigits(ascii, i + 1, i + 3) : (byte) ascii.charAt(i);
            i += isEscape ? 2 : 0;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** The reason for which a copy was accepted, for people; empty if none was. */
    String reason() {
        return decoded(accepted).replaceAll("\\p{C}", "?");
    }
}
