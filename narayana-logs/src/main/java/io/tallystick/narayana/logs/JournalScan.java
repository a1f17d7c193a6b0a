package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files {@code jbossts-1.txlog} of Narayana's journal store, {@code HornetqObjectStoreAdaptor}, read without the
 * journal's code, to count what is in them. It knows what Narayana writes there, and says of anything else that it
 * cannot read it. A migration reads with the journal's own code.
 *
 * <p>A file has a header of 16 bytes: int version, int user version, long id. A file is used again under another id.
 * Then come records, big-endian, without any between them but bytes to be skipped:
 *
 * <pre>
 * byte kind; int id of the file; byte compactions (from version 2 on); long id of the record
 * int length; byte user's kind; the body         where the kind is 11 (added) or 12 (updated), not 16 (deleted)
 * int size of the whole record
 * </pre>
 */
final class JournalScan extends DirectorySource {
    private static final Pattern FILE = Pattern.compile("(.+)-\\d+\\.txlog");
    // What a compaction that was cut off leaves: the list of its files, and the files.
    private static final Pattern COMPACTION = Pattern.compile(".+\\.(ctr|cmp)");
    private static final int HEADER_BYTES = 16;
    private static final int OLDEST_VERSION = 1;
    private static final int NEWEST_VERSION = 2;

    private static final int FIRST_KIND = 10;
    private static final int ADDED = 11;
    private static final int UPDATED = 12;
    private static final int DELETED = 16;
    private static final int LAST_KIND = 19;

    // What Narayana does not write: parts of a transaction of the journal, and its end.
    private static final byte FIRST_OF_TRANSACTION = 13;
    private static final byte LAST_OF_TRANSACTION = 15;
    private static final byte PREPARED = 17;
    private static final byte COMMITTED = 18;
    private static final byte ROLLED_BACK = 19;

    JournalScan(Disk disk, Path directory) {
        super(disk, directory, "Narayana's journal store");
    }

    static boolean isIn(Disk disk, Path directory) throws IOException {
        return SourceFile.isIn(disk, directory, FILE);
    }

    /** A file that is used, and what tells its records from those of its earlier uses. */
    private record JournalFile(Path path, int version, long id) {}

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        Map<Long, byte[]> records = new LinkedHashMap<>();
        for (JournalFile file : files(findings)) {
            readFile(file, ByteBuffer.wrap(SourceFile.read(disk, file.path())), records, findings);
        }
        // A later record of the same name replaces the earlier one, as it does when Narayana loads the journal.
        Map<String, NarayanaValues> states = new LinkedHashMap<>();
        for (Map.Entry<Long, byte[]> record : records.entrySet()) {
            addState(directory + " record=" + record.getKey(), record.getValue(), states, findings);
        }
        for (NarayanaValues values : states.values()) {
            Optional<SourceState> state = values.toState(findings);
            if (state.isPresent()) {
                receiver.take(state.get());
            }
        }
    }

    private List<JournalFile> files(Findings findings) throws IOException {
        List<JournalFile> files = new ArrayList<>();
        Set<String> prefixes = new TreeSet<>();
        for (Path path : disk.list(directory)) {
            String name = path.getFileName().toString();
            if (COMPACTION.matcher(name).matches()) {
                findings.damage(path, "a compaction of the journal was cut off");
            }
            Matcher matcher = FILE.matcher(name);
            if (matcher.matches() && prefixes.add(matcher.group(1)) && prefixes.size() > 1) {
                findings.damage(directory, "the files of several journals lie here, " + prefixes);
            }
            if (matcher.matches() && disk.size(path) >= HEADER_BYTES) {
                ByteBuffer header = SourceFile.readBeginning(disk, path, HEADER_BYTES);
                int version = header.getInt();
                header.getInt();
                long id = header.getLong();
                if (version < OLDEST_VERSION || version > NEWEST_VERSION) {
                    findings.damage(path, "offset=0: the version " + version + " of the journal is not known");
                } else {
                    files.add(new JournalFile(path, version, id));
                }
            }
        }
        files.sort(Comparator.comparingLong(JournalFile::id));
        return files;
    }

    private static void readFile(JournalFile file, ByteBuffer bytes, Map<Long, byte[]> records, Findings findings) {
        int at = HEADER_BYTES;
        while (at < bytes.limit()) {
            int length = recordAt(at, file, bytes, records, findings);
            // Between records there may be a hole, which the journal itself reads over byte by byte.
            at += Math.max(1, length);
        }
    }

    /** Takes the record that stands there; its length, or 0 if none does. */
    private static int recordAt(
            int at, JournalFile file, ByteBuffer bytes, Map<Long, byte[]> records, Findings findings) {
        byte kind = bytes.get(at);
        int head = 1 + Integer.BYTES + (file.version() >= NEWEST_VERSION ? 1 : 0);
        if (kind < FIRST_KIND || kind > LAST_KIND || bytes.limit() - at < head + Long.BYTES + Integer.BYTES) {
            return 0;
        }
        if (bytes.getInt(at + 1) != (int) (file.id() & Integer.MAX_VALUE)) {
            return 0; // from an earlier use of the file, or no record
        }
        if (kind != ADDED && kind != UPDATED && kind != DELETED) {
            int length = lengthOfOther(kind, bytes.slice(at, bytes.limit() - at), head);
            if (length > 0) {
                findings.damage(file.path(), "offset=" + at + ": a record of kind " + kind + " is not known");
            }
            return length;
        }
        long id = bytes.getLong(at + head);
        int bodyAt = at + head + Long.BYTES;
        if (kind == DELETED) {
            int length = head + Long.BYTES + Integer.BYTES;
            if (bytes.getInt(bodyAt) != length) {
                return 0;
            }
            records.remove(id);
            return length;
        }
        int bodyLength = bytes.getInt(bodyAt);
        bodyAt += Integer.BYTES + 1;
        if (bodyLength < 0 || bodyLength > bytes.limit() - bodyAt - Integer.BYTES) {
            return 0;
        }
        int length = bodyAt + bodyLength + Integer.BYTES - at;
        if (bytes.getInt(bodyAt + bodyLength) != length) {
            return 0; // torn: it was never acknowledged
        }
        byte[] body = new byte[bodyLength];
        bytes.get(bodyAt, body);
        records.put(id, body);
        return length;
    }

    /**
     * The length of a record that Narayana does not write; 0 if there is none. What an earlier use of the file has left
     * often looks like the beginning of one, but not like its end.
     */
    private static int lengthOfOther(byte kind, ByteBuffer record, int head) {
        boolean isOfTransaction = kind >= FIRST_OF_TRANSACTION && kind <= LAST_OF_TRANSACTION;
        int bodyLengthAt = head + Long.BYTES + (isOfTransaction ? Long.BYTES : 0);
        int fixed = bodyLengthAt
                + switch (kind) {
                    case ROLLED_BACK -> Integer.BYTES;
                    case COMMITTED, LAST_OF_TRANSACTION -> 2 * Integer.BYTES;
                    case PREPARED -> 3 * Integer.BYTES;
                    default -> 2 * Integer.BYTES + 1;
                };
        boolean hasBody = kind != ROLLED_BACK && kind != COMMITTED;
        if (fixed > record.limit()) {
            return 0;
        }
        long length = fixed + (hasBody ? record.getInt(bodyLengthAt) : 0L);
        boolean isWhole = length >= fixed
                && length <= record.limit()
                && record.getInt((int) length - Integer.BYTES) == (int) length;
        return isWhole ? (int) length : 0;
    }

    private static void addState(String place, byte[] record, Map<String, NarayanaValues> states, Findings findings) {
        try {
            PackedBuffer packed = PackedBuffer.of(record);
            ObjectId id = ObjectId.of(packed.readUid());
            String type = packed.readString();
            byte[] state = packed.readBytes();
            states.computeIfAbsent(type + ' ' + id, name -> new NarayanaValues(type, Optional.of(id), place))
                    .put(NarayanaValues.COMMITTED, state);
        } catch (MalformedException malformed) {
            findings.damage(place, "it is not what Narayana writes: " + malformed.getMessage());
        }
    }
}
