package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * The mark that a migration leaves in a log of Narayana: a file {@value #FILE_NAME}, text, with a line for each record
 * of a transaction that it has taken along. So the guard tells a log that was migrated from one that was forgotten, and
 * a record that came later from one that was taken along. It counts only for the store that took them: a store that is
 * made later, in the same place too, does not have them. Narayana does not look at the file.
 *
 * <p>The lines are {@code tallystick-migrated 1}, {@code to=PLACE}, {@code store=IDENTITY}, then {@code record=TYPE UID
 * CRC32C}, then {@code damage=CRC32C} for each place that cannot be read, and {@code end}. A mark without its last line
 * was cut off and counts for nothing. So does one without an identity.
 */
public final class MigrationMark {
    /** The file, in the directory of the log. */
    public static final String FILE_NAME = "tallystick.migrated";

    private static final String FIRST = "tallystick-migrated 1";
    private static final String TARGET = "to=";
    private static final String STORE = "store=";
    private static final String RECORD = "record=";
    private static final String DAMAGE = "damage=";
    private static final String END = "end";
    private static final String TEMPORARY = FILE_NAME + ".tmp";

    private final Set<String> records = new TreeSet<>();
    private final Set<String> damages = new TreeSet<>();
    private String to = "";
    private String store = "";

    /** A mark without a record. */
    public MigrationMark() {}

    /** Adds a record, if it is one of a transaction. */
    public void add(SourceState state) {
        if (NarayanaRecords.isWork(state.key().type())) {
            records.add(fingerprint(state));
        }
    }

    /** Forgets the records that were added. */
    public void clear() {
        records.clear();
    }

    /** Whether the store of this identity took the records along. */
    public boolean isOf(Optional<String> identity) {
        return !store.isEmpty() && identity.filter(store::equals).isPresent();
    }

    /** Where the store was that took them along, for people. */
    public String to() {
        return to;
    }

    /** Whether each record of the other mark was taken along, with the same content. */
    public boolean hasAllOf(MigrationMark other) {
        return records.containsAll(other.records);
    }

    /** Whether this very record was taken along. */
    boolean has(SourceState state) {
        return records.contains(fingerprint(state));
    }

    /** Whether this very damage was there when the log was marked. */
    boolean has(Disk disk, Path log, Findings.Finding damage) throws IOException {
        return damages.contains(fingerprint(disk, log, damage));
    }

    /**
     * Writes the mark for a store in a directory, as {@link #write(Disk, Path, String, String)} does.
     *
     * @param log the directory of the log
     * @param target the new store's directory
     * @throws SourceException the log was changed meanwhile, or has a file that is too large
     */
    public void write(Disk disk, Path log, Path target) throws IOException {
        write(disk, log, target.toString(), identityOf(disk, target).orElse(""));
    }

    /**
     * Writes the mark, with the damages that the log has now; a mark that is there is replaced.
     *
     * @param log the directory of the log
     * @param place the new store's place, for people
     * @param identity what no other store has: {@link #identityOf} of its directory, or the unique id of a store
     *     elsewhere
     * @throws SourceException the log was changed meanwhile, or has a file that is too large
     */
    public void write(Disk disk, Path log, String place, String identity) throws IOException {
        StringBuilder text = new StringBuilder(FIRST + '\n');
        text.append(TARGET).append(place).append('\n');
        text.append(STORE).append(identity).append('\n');
        records.forEach(record -> text.append(RECORD).append(record).append('\n'));
        Findings findings = Findings.ofDamages();
        sourceIn(disk, log).read(state -> {}, findings);
        for (Findings.Finding damage : findings.damages()) {
            text.append(DAMAGE).append(fingerprint(disk, log, damage)).append('\n');
        }
        text.append(END).append('\n');
        Path temporary = log.resolve(TEMPORARY);
        if (disk.kindOf(temporary) != Disk.PathKind.MISSING) {
            disk.delete(temporary);
        }
        try (DiskFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.rename(temporary, log.resolve(FILE_NAME));
        disk.forceDirectory(log);
    }

    /** The identity of the store in a directory; empty if there is none, or none that can be read. */
    public static Optional<String> identityOf(Disk disk, Path directory) throws IOException {
        try {
            return StoreIdentity.read(disk, directory)
                    .map(identity -> identity.id().toString());
        } catch (StoreDirectoryException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * The mark in the directory of a log; empty if there is none, or one that was cut off.
     *
     * @throws IOException it cannot be read
     */
    public static Optional<MigrationMark> in(Disk disk, Path log) throws IOException {
        Path path = log.resolve(FILE_NAME);
        if (disk.kindOf(path) != Disk.PathKind.FILE) {
            return Optional.empty();
        }
        String text = new String(SourceFile.read(disk, path), StandardCharsets.UTF_8);
        if (!text.startsWith(FIRST + '\n') || !text.endsWith('\n' + END + '\n')) {
            return Optional.empty();
        }
        MigrationMark mark = new MigrationMark();
        mark.to = line(text, TARGET);
        mark.store = line(text, STORE);
        addLines(text, RECORD, mark.records);
        addLines(text, DAMAGE, mark.damages);
        return Optional.of(mark);
    }

    private static String line(String text, String beginning) {
        return text.lines()
                .filter(line -> line.startsWith(beginning))
                .map(line -> line.substring(beginning.length()))
                .findFirst()
                .orElse("");
    }

    private static void addLines(String text, String beginning, Set<String> target) {
        text.lines()
                .filter(line -> line.startsWith(beginning))
                .map(line -> line.substring(beginning.length()))
                .forEach(target::add);
    }

    // As the guard will read it. A migration reads a journal with other code, which finds other damages.
    private static LogSource sourceIn(Disk disk, Path log) throws IOException {
        if (JournalScan.isIn(disk, log)) {
            return new JournalScan(disk, log);
        }
        return SlotSource.isIn(disk, log) ? new SlotSource(disk, log) : new FileTreeSource(disk, log);
    }

    // With what the file holds: the next damage in the same place reads the same. Without the way to the log, which
    // may be moved.
    private static String fingerprint(Disk disk, Path log, Findings.Finding damage) throws IOException {
        CRC32C crc = new CRC32C();
        String text = damage.place().replace(log.toString(), "") + ' ' + damage.text();
        update(crc, text.getBytes(StandardCharsets.UTF_8));
        Path file = Path.of(damage.place());
        update(crc, disk.kindOf(file) == Disk.PathKind.FILE ? SourceFile.read(disk, file) : null);
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static String fingerprint(SourceState state) {
        StateImage image = state.image();
        CRC32C crc = new CRC32C();
        update(crc, image.committed());
        update(crc, image.shadow());
        return state.key().toPrintable() + ' ' + HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static void update(CRC32C crc, byte[] value) {
        crc.update(ByteBuffer.allocate(Integer.BYTES)
                .putInt(value == null ? -1 : value.length)
                .flip());
        if (value != null) {
            crc.update(value);
        }
    }
}
