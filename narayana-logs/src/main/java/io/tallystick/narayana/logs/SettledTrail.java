package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Who settled what in a log, when and why: a file with a line for each action, the newest last. It lies in the
 * quarantine of a store, or in a directory that a person names. Nothing of this library deletes it.
 *
 * <pre>
 * time=2026-11-27T03:12:45Z user=app action=forget uid=0:ffff7f000001:8f3b:6566a5e2:12 ... reason=booked by hand
 * </pre>
 */
public final class SettledTrail {
    /** The name of the file. */
    public static final String FILE_NAME = "settled.log";

    /** The name of the lock of the file, which is empty. */
    static final String LOCK_FILE = "settled.lock";

    static final int PATIENCE_SECONDS = 5;

    private static final int MOST_REASON_CHARACTERS = 500;

    private final Disk disk;
    private final Path directory;

    /**
     * The trail in this directory, which is made with the first line.
     *
     * @param directory its parent is there
     */
    public SettledTrail(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** The directory of the trail of a store. */
    public static Path directoryIn(Path store) {
        return store.resolve(StoreDirectory.QUARANTINE_DIRECTORY);
    }

    /**
     * Checks the directory that a person has named with {@code --keep-in}. One that is missing may be a volume that is
     * not mounted, or a name with a slip: what was forgotten would be taken for nothing.
     *
     * @param quarantine that of the log, which is made when it is needed first
     * @throws IllegalArgumentException it is missing, or no directory
     */
    public static void checkNamed(Disk disk, Path named, Optional<Path> quarantine) throws IOException {
        Path path = named.toAbsolutePath().normalize();
        boolean isNewQuarantine = disk.kindOf(path) == Disk.PathKind.MISSING && quarantine.equals(Optional.of(path));
        if (disk.kindOf(path) != Disk.PathKind.DIRECTORY && !isNewQuarantine) {
            throw new IllegalArgumentException("--keep-in " + path + " is no directory that is there, so it cannot be"
                    + " told which records were forgotten; correct it, mount it, or make the directory if no record"
                    + " was ever kept there");
        }
    }

    /**
     * Checks a reason that a person gives.
     *
     * @throws IllegalArgumentException it is empty, too long, or does not stay on one line
     */
    public static void checkReason(String reason) {
        int characters = reason.codePointCount(0, reason.length());
        if (reason.isBlank() || characters > MOST_REASON_CHARACTERS || !reason.equals(printable(reason))) {
            throw new IllegalArgumentException("the reason has " + characters + " characters; give 1 to "
                    + MOST_REASON_CHARACTERS + " printable ones on one line, and not only spaces");
        }
    }

    /**
     * Checks the name of the person that stands in a line.
     *
     * @throws IllegalArgumentException it has a {@code =}, so it could be read as another field of the line
     */
    public static void checkUser(String user) {
        if (user.indexOf('=') >= 0) {
            throw new IllegalArgumentException("the name '" + printable(user) + "' of the person has a '=', which parts"
                    + " names and values in the trail; give it without");
        }
    }

    /**
     * Adds a line; it is on disk when the call returns. A line that a killed process has left unfinished ends before.
     * The caller has the lock of the log, and no other log has this trail.
     *
     * @param values by their names, in their order
     * @throws IOException it cannot be written; the action must not be done then
     */
    public void add(Instant time, String user, Map<String, String> values, String reason) throws IOException {
        StringBuilder line = new StringBuilder("time=" + time + " user=" + printable(user));
        values.forEach(
                (name, value) -> line.append(' ').append(name).append('=').append(printable(value)));
        line.append(" reason=").append(printable(reason)).append('\n');
        makeDirectory();
        Path file = directory.resolve(FILE_NAME);
        boolean isThere = disk.kindOf(file) != Disk.PathKind.MISSING;
        try (DiskFile trail = disk.open(file, isThere ? OpenMode.READ_WRITE : OpenMode.CREATE_NEW)) {
            String before = isCutOff(trail) ? "\n" : "";
            trail.writeFully(ByteBuffer.wrap((before + line).getBytes(StandardCharsets.UTF_8)), trail.size());
            trail.force();
        }
        disk.forceDirectory(directory);
    }

    /**
     * As {@link #add}, where two logs may have one trail: the file {@value #LOCK_FILE} beside it is the lock of those
     * that call this method.
     *
     * @throws IOException it cannot be written, or another process has the lock for {@value #PATIENCE_SECONDS} s; the
     *     action must not be done then
     */
    public void addLocked(Instant time, String user, Map<String, String> values, String reason) throws IOException {
        makeDirectory();
        DiskLock lock = locked();
        try {
            add(time, user, values, reason);
        } finally {
            lock.close();
        }
    }

    private static boolean isCutOff(DiskFile trail) throws IOException {
        ByteBuffer last = ByteBuffer.allocate(1);
        if (trail.size() > 0) {
            trail.readFully(last, trail.size() - 1);
        }
        return last.position() > 0 && last.get(0) != '\n';
    }

    private DiskLock locked() throws IOException {
        Path file = directory.resolve(LOCK_FILE);
        long end = NanoClock.SYSTEM.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            Optional<DiskLock> lock = disk.tryLock(file);
            if (lock.isPresent()) {
                return lock.get();
            }
            if (NanoClock.SYSTEM.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
                throw new IOException("another process has the lock " + file + ", so the trail has no line of this one;"
                        + " end that process, and try again");
            }
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Makes the directory, if it is missing; it is on disk when the call returns. */
    public void makeDirectory() throws IOException {
        if (disk.kindOf(directory) == Disk.PathKind.MISSING) {
            disk.createDirectory(directory);
            disk.forceDirectory(directory.getParent());
        }
    }

    private static String printable(String text) {
        return text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }
}
