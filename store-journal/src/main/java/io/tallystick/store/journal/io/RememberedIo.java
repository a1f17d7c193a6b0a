package io.tallystick.store.journal.io;

import io.tallystick.storage.ChecksummedText;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.stream.Collectors;

/**
 * The way to the disk that a trial has chosen for a store, and the conditions of that trial. A file of its own in the
 * store's directory holds it. Nothing that is stored depends on the file, so it may be deleted at any time.
 * docs/format/journal-io-v1.md describes it.
 */
public final class RememberedIo {
    private static final int MAX_FILE_BYTES = 2048;
    private static final ChecksummedText TEXT = new ChecksummedText(
            MAX_FILE_BYTES,
            "tallystick-io",
            "io=(?<io>[a-z]{1,16})\nmicros=(?<micros>\\d{1,12})\n"
                    + TrialConditions.NAMES.stream()
                            .map(name -> name + "=(?<" + name + ">[ -~]{0,200})\n")
                            .collect(Collectors.joining()),
            "remembers a way to the disk",
            "the next opening of the journal replaces it");

    private final String name;
    private final long micros;
    private final TrialConditions conditions;

    /**
     * An outcome.
     *
     * @param name the way, a value of {@code tallystick.journal.io}
     * @param micros the time of a write in the trial, microseconds
     */
    RememberedIo(String name, long micros, TrialConditions conditions) {
        this.name = name;
        this.micros = micros;
        this.conditions = conditions;
    }

    /**
     * The way that is remembered in the directory; empty if there is none.
     *
     * @throws IOException the file cannot be read, is damaged, or a newer library wrote it
     */
    public static Optional<RememberedIo> in(Path directory, Disk disk) throws IOException {
        Optional<Matcher> lines = TEXT.read(disk, file(directory));
        return lines.map(line -> new RememberedIo(
                line.group("io"), Long.parseLong(line.group("micros")), TrialConditions.ofValues(line::group)));
    }

    /**
     * Forgets the way, so that the next opening tries the ways to the disk.
     *
     * @return whether one was remembered
     */
    public static boolean forget(Path directory, Disk disk) throws IOException {
        try {
            disk.delete(file(directory));
        } catch (NoSuchFileException nothingRemembered) {
            return false;
        }
        disk.forceDirectory(directory);
        return true;
    }

    static Path file(Path directory) {
        return directory.resolve(StoreDirectory.IO_FILE);
    }

    /** The way, a value of {@code tallystick.journal.io}. */
    public String name() {
        return name;
    }

    /** The time of a write in the trial, microseconds. */
    public long micros() {
        return micros;
    }

    TrialConditions conditions() {
        return conditions;
    }

    /** Remembers it in the directory; on disk when the call returns. */
    void writeTo(Path directory, Disk disk) throws IOException {
        TEXT.write(disk, file(directory), "io=" + name + "\nmicros=" + micros + "\n" + conditions.lines());
    }
}
