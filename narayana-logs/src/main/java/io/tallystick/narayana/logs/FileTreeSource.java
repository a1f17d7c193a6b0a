package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Narayana's stores of one file per state: {@code ShadowNoFileLockStore}, {@code ShadowingStore}, {@code ActionStore}
 * and their hashed kin. The directories are the type name, the file's name is the Uid, and its ending the status:
 * nothing, {@code !} for an uncommitted value, {@code #} behind either for a hidden one. The file is the state.
 *
 * <p>Hashed stores put a directory {@code #17#} between type and file. An empty file is no state, as in Narayana's own
 * stores.
 */
public final class FileTreeSource extends DirectorySource {
    private static final char UID_SEPARATOR = '_';
    private static final String SHADOW = "!";
    private static final String HIDDEN = "#";
    private static final List<String> ENDS = List.of("", SHADOW, SHADOW + HIDDEN, HIDDEN);
    private static final Pattern HASH_DIRECTORY = Pattern.compile("#-?\\d+#");
    private static final Pattern LOCK_FILE = Pattern.compile(".*_lock(\\.lock)?");
    private static final Set<String> STORE_CLASSES = Set.of(
            "ShadowNoFileLockStore",
            "ShadowingStore",
            "ActionStore",
            "HashedStore",
            "HashedActionStore",
            "FileLockingStore");
    // Kept by Narayana in files of other forms, or not at once.
    private static final Set<String> OTHER_STORE_CLASSES = Set.of("LogStore", "CacheStore");
    private static final String DEFAULT_ROOT = "defaultStore";
    // In the root of a file system; its check puts files there, and only root may read it.
    private static final String OF_FILE_SYSTEM = "lost+found";

    /** @param root the directory that the first element of each type name stands in; {@link #rootIn} finds it */
    public FileTreeSource(Disk disk, Path root) {
        super(disk, root, "Narayana's file store");
    }

    /**
     * The root of the store in a directory. Narayana's {@code objectStoreDir} has a directory for the class of each
     * store. That has one for each {@code localOSRoot}, by default {@code defaultStore}.
     *
     * @throws SourceException there are several
     */
    public static Path rootIn(Disk disk, Path directory) throws IOException {
        if (isStoreClass(directory)) {
            List<Path> roots = directoriesIn(disk, directory);
            return roots.size() == 1 ? roots.get(0) : noneOrAsk(directory, roots);
        }
        List<Path> below = directoriesIn(disk, directory);
        List<Path> classes = below.stream().filter(FileTreeSource::isStoreClass).toList();
        if (!classes.isEmpty()) {
            return classes.size() == 1 ? rootIn(disk, classes.get(0)) : noneOrAsk(directory, classes);
        }
        boolean isParent =
                below.size() == 1 && below.get(0).getFileName().toString().equals(DEFAULT_ROOT);
        return isParent ? below.get(0) : directory;
    }

    /** Whether a file with the name of a state lies somewhere below. */
    public static boolean hasStates(Disk disk, Path directory) throws IOException {
        boolean[] isFound = {false};
        disk.forEach(directory, path -> {
            if (!isFound[0] && !isOfFileSystem(path)) {
                isFound[0] = switch (disk.kindOf(path)) {
                    case DIRECTORY -> hasStates(disk, path);
                    case FILE -> uidOf(path.getFileName().toString()).isPresent();
                    default -> false;
                };
            }
        });
        return isFound[0];
    }

    /** Whether the directory has the name of a store of files, which has a directory for each of its roots. */
    static boolean isStoreClass(Path directory) {
        return STORE_CLASSES.contains(String.valueOf(directory.getFileName()));
    }

    /** Whether the directory has the name of a store of Narayana whose files cannot be read here. */
    static boolean isOtherStoreClass(Path directory) {
        return OTHER_STORE_CLASSES.contains(String.valueOf(directory.getFileName()));
    }

    /** Whether the directory has the name of a root where none is configured. */
    static boolean isDefaultRoot(Path directory) {
        return String.valueOf(directory.getFileName()).equals(DEFAULT_ROOT);
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        readDirectory(directory, "", receiver, findings);
    }

    // Holds one state at a time: a tree may have more than fit into memory.
    private void readDirectory(Path directory, String type, Receiver receiver, Findings findings) throws IOException {
        disk.forEach(directory, path -> {
            String name = path.getFileName().toString();
            if (name.startsWith(MigrationMark.FILE_NAME) || isOfFileSystem(path)) {
                return;
            }
            switch (disk.kindOf(path)) {
                case DIRECTORY -> {
                    boolean isHash = HASH_DIRECTORY.matcher(name).matches();
                    readDirectory(path, isHash ? type : type + '/' + name, receiver, findings);
                }
                case FILE -> readFile(path, name, type, receiver, findings);
                case MISSING -> throw SourceFile.changed(path);
                default -> findings.damage(path, "it is neither a file nor a directory, and is not followed");
            }
        });
    }

    private void readFile(Path path, String name, String type, Receiver receiver, Findings findings)
            throws IOException {
        Optional<ObjectId> uid = uidOf(name);
        if (uid.isEmpty()) {
            findings.remark(
                    path,
                    LOCK_FILE.matcher(name).matches()
                            ? "left out: a lock file of the store, not a state"
                            : "left out: its name is not a Uid, so Narayana would not find it either");
            return;
        }
        Path plain = path.resolveSibling(plainName(name));
        List<Path> files = filesOf(plain);
        if (files.isEmpty()) {
            throw SourceFile.changed(path);
        }
        if (!files.get(0).equals(path)) {
            return; // the first file of a state stands for it
        }
        NarayanaValues values = new NarayanaValues(type, uid, plain.toString());
        for (Path file : files) {
            byte[] bytes = SourceFile.read(disk, file);
            if (bytes.length == 0) {
                findings.remark(file, "left out: it is empty, which Narayana takes as absent");
            } else {
                values.put(statusOf(file, plain), bytes);
            }
        }
        if (!values.isEmpty()) {
            values.handOver(receiver, findings);
        }
    }

    /** The files with the values of one state, in the order of their names. */
    private List<Path> filesOf(Path plain) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String end : ENDS) {
            Path file = plain.resolveSibling(plain.getFileName() + end);
            if (disk.kindOf(file) == Disk.PathKind.FILE) {
                files.add(file);
            }
        }
        return files;
    }

    private static int statusOf(Path file, Path plain) {
        String name = file.getFileName().toString();
        boolean isShadow =
                name.startsWith(SHADOW, plain.getFileName().toString().length());
        return (isShadow ? NarayanaValues.UNCOMMITTED : NarayanaValues.COMMITTED)
                | (name.endsWith(HIDDEN) ? NarayanaValues.HIDDEN : 0);
    }

    private static Optional<ObjectId> uidOf(String name) {
        return NarayanaUid.parse(plainName(name), UID_SEPARATOR);
    }

    private static String plainName(String name) {
        String plain = withoutEnd(name, HIDDEN);
        return withoutEnd(plain, SHADOW);
    }

    private static String withoutEnd(String text, String end) {
        return text.endsWith(end) ? text.substring(0, text.length() - end.length()) : text;
    }

    /** The directories in a directory that can be Narayana's, sorted. */
    static List<Path> directoriesIn(Disk disk, Path directory, PathTest isDirectory) throws IOException {
        List<Path> found = new ArrayList<>();
        disk.forEach(directory, path -> {
            if (!isOfFileSystem(path) && isDirectory.test(path)) {
                found.add(path);
            }
        });
        found.sort(Comparator.naturalOrder());
        return found;
    }

    private static List<Path> directoriesIn(Disk disk, Path directory) throws IOException {
        return directoriesIn(disk, directory, path -> disk.kindOf(path) == Disk.PathKind.DIRECTORY);
    }

    private static boolean isOfFileSystem(Path path) {
        return path.getFileName().toString().equals(OF_FILE_SYSTEM);
    }

    /** What counts as a directory. */
    interface PathTest {
        boolean test(Path path) throws IOException;
    }

    private static Path noneOrAsk(Path directory, List<Path> several) {
        if (several.isEmpty()) {
            return directory;
        }
        throw new SourceException(
                SourceException.Reason.SEVERAL,
                "directory=" + directory + " has several stores of Narayana; give one of them, and migrate each to a"
                        + " directory of its own or one after the other: "
                        + String.join(", ", several.stream().map(Path::toString).toList()));
    }
}
