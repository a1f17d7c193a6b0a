package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The rules of the operating system, where they differ and only its name tells. docs/systems.md has the whole list, and
 * docs/durability.md the texts of Microsoft and of the JDK that they follow from.
 *
 * <p>Windows differs most. A directory cannot be opened there, so it cannot be forced. A file that another program has
 * open may be refused for a moment. Some names belong to devices in every directory.
 */
enum SystemRules {
    /** Linux, and each system that is none of the others. */
    UNIX,
    /** macOS: as Unix, but its {@code O_DSYNC} does not empty the disk's cache. */
    MAC_OS,
    /** Windows. */
    WINDOWS;

    /** The rules of the system that this process runs on. */
    static final SystemRules HERE = of(System.getProperty("os.name", ""));

    /** How long a refused file is asked for again on Windows: a virus scanner looks at a small file for less. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    // Pauses of about a millisecond, before longer ones.
    private static final int SHORT_PAUSES = 20;

    // "Naming Files, Paths, and Namespaces" of the Windows documentation: digits are those of ISO 8859-1, the raised
    // ones
    // too. The two names with a dollar are the input and the output of a console.
    private static final Pattern DEVICE_NAME = Pattern.compile(
            "(?:con|prn|aux|nul|conin\\$|conout\\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\\..*)?",
            Pattern.CASE_INSENSITIVE);

    /** The rules of the system with this value of the property {@code os.name}. */
    static SystemRules of(String osName) {
        String name = osName.toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            return WINDOWS;
        }
        return name.startsWith("mac") ? MAC_OS : UNIX;
    }

    /** An operation on a file. */
    interface Operation<T> {
        /** Runs it. */
        T run() throws IOException;
    }

    /** Whether a refused operation is tried again: a virus scanner or a backup may have the file open for a moment. */
    boolean isPatient() {
        return this == WINDOWS;
    }

    /**
     * Runs an operation of a patient system, and once more as long as it is refused, for {@link #PATIENCE}. The error
     * then says so.
     *
     * @param isForFile whether there is hope; a directory that cannot be opened never can
     */
    <T> T patiently(Operation<T> operation, Operation<Boolean> isForFile) throws IOException {
        return patiently(operation, isForFile, PATIENCE);
    }

    static <T> T patiently(Operation<T> operation, Operation<Boolean> isForFile, Duration atMost) throws IOException {
        try {
            return operation.run();
        } catch (FileSystemException refused) {
            if (!isPerhapsInUse(refused) || !isForFile.run()) {
                throw refused;
            }
        }
        int pauses = 0;
        try (Patience patience = new Patience(atMost)) {
            while (true) {
                boolean hasTime = pauses++ < SHORT_PAUSES ? patience.pause() : patience.pauseLong();
                try {
                    return operation.run();
                } catch (FileSystemException refused) {
                    if (!isPerhapsInUse(refused)) {
                        throw refused;
                    }
                    if (!hasTime) {
                        throw inUse(refused, atMost);
                    }
                }
            }
        }
    }

    /**
     * Whether the refusal may be a sharing violation. Java hides the number of the error, and its text is in the
     * language of the system: what has no exception of its own counts, except a full disk.
     */
    private static boolean isPerhapsInUse(FileSystemException refused) {
        return (refused instanceof AccessDeniedException || refused.getClass() == FileSystemException.class)
                && !Shortage.isShortageOfRoom(refused);
    }

    private static FileSystemException inUse(FileSystemException refused, Duration after) {
        String reason = (refused.getReason() == null ? "access is denied" : refused.getReason()) + " ("
                + DiskRemedy.ASKED_AGAIN + after.toMillis() + " ms)";
        FileSystemException told = refused instanceof AccessDeniedException
                ? new AccessDeniedException(refused.getFile(), refused.getOtherFile(), reason)
                : new FileSystemException(refused.getFile(), refused.getOtherFile(), reason);
        told.initCause(refused);
        return told;
    }

    /**
     * What a failed force of a directory means. Windows opens no directory for {@code java.nio}, and says "access is
     * denied": there is nothing to force, and the call goes on. On every other system the error stays an error.
     */
    void directoryForceFailed(IOException failed) throws IOException {
        if (this != WINDOWS || !(failed instanceof AccessDeniedException)) {
            throw failed;
        }
    }

    /**
     * Whether a file that got another name is forced. Microsoft, "File Caching": "File system metadata is always
     * cached. Therefore, to store any metadata changes to disk, the file must either be flushed or be opened with
     * FILE_FLAG_WRITE_THROUGH". Elsewhere a force of the directory does it.
     */
    boolean isForcedAfterRename() {
        return this == WINDOWS;
    }

    /**
     * Whether a force needs a file that is open for writing. Microsoft, FlushFileBuffers: "The file handle must have
     * the GENERIC_WRITE access right"; the JDK then passes over the error, and nothing is forced.
     */
    boolean isForceForWriters() {
        return this == WINDOWS;
    }

    /** Whether an open file that is written to keeps others from replacing it, until it is closed. */
    boolean isReplacedWhenClosed() {
        return this == WINDOWS;
    }

    /** Whether a path such as {@code /dev/full} means what it means on Unix; Windows may have any file there. */
    boolean hasUnixDevices() {
        return this != WINDOWS;
    }

    /** Whether operations of an asynchronous channel run on the thread that calls. Windows has threads of its own. */
    boolean isOnCallingThread() {
        return this != WINDOWS;
    }

    /** Why files are not opened past the page cache; empty if they may be. */
    Optional<String> againstDirect() {
        return switch (this) {
            case UNIX -> Optional.empty();
            case MAC_OS ->
                Optional.of(
                        "O_DSYNC of macOS does not empty the disk's cache, and F_FULLFSYNC, which a force uses, does");
            case WINDOWS -> Optional.of("on Windows each write is forced, which FlushFileBuffers does");
        };
    }

    /**
     * Checks the last name of a path that is to be made or looked at.
     *
     * @throws FileSystemException this system keeps the name for a device
     */
    void checkNewName(Path path) throws FileSystemException {
        Path name = path.getFileName();
        if (this == WINDOWS
                && name != null
                && DEVICE_NAME.matcher(name.toString()).matches()) {
            throw new FileSystemException(
                    path.toString(), null, "Windows keeps the name " + name + " for a device; use another name");
        }
    }

    /**
     * The type of a file system in the words of {@link FileSystemConcern}. Windows tells the type that the other
     * machine's disk has, so there the root of a UNC path decides.
     */
    String typeOf(String type, Path rootOrNull) {
        boolean isRemote =
                this == WINDOWS && rootOrNull != null && rootOrNull.toString().startsWith("\\\\");
        return isRemote ? "unc" : type;
    }
}
