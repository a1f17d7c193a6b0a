package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.DirectorySource;
import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.NarayanaValues;
import io.tallystick.narayana.logs.PackedBuffer;
import io.tallystick.narayana.logs.SourceFile;
import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectId;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.core.journal.PreparedTransactionInfo;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.core.journal.impl.AbstractJournalUpdateTask;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * Narayana's journal store, {@code HornetqObjectStoreAdaptor}: files {@code jbossts-1.txlog} of a HornetQ journal. A
 * record of the journal is packed: Uid, type name, state.
 *
 * <p>It is read with the journal's own code, because only that code understands an unfinished compaction or a file that
 * was used twice. Loading a journal changes it, so a copy is loaded.
 */
final class JournalSource extends DirectorySource {
    private static final Pattern FILE = Pattern.compile("(.+)-\\d+\\.(txlog)");
    private static final String COMPACTION_CONTROL = AbstractJournalUpdateTask.FILE_COMPACT_CONTROL;
    private static final int SPARE_FILES = 2;
    private static final long MIN_FILE_BYTES = 64 * 1024;
    private static final int MAX_IO = 1;

    private final Supplier<Path> scratch;

    /** @param scratch a directory that does not exist, for the copy */
    JournalSource(Disk disk, Path directory, Supplier<Path> scratch) {
        super(disk, directory, "Narayana's journal store");
        this.scratch = scratch;
    }

    static boolean isIn(Disk disk, Path directory) throws IOException {
        return SourceFile.isIn(disk, directory, FILE);
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        Path copy = scratch.get();
        disk.createDirectory(copy);
        try {
            String prefix = prefix();
            int fileBytes = copyTo(copy, prefix);
            Map<NarayanaValues.Name, NarayanaValues> states = new LinkedHashMap<>();
            for (RecordInfo record : load(copy, prefix, fileBytes, findings)) {
                addState(record, states, findings);
            }
            for (NarayanaValues values : states.values()) {
                values.handOver(receiver, findings);
            }
        } finally {
            DirectoryTrees.delete(disk, copy);
        }
    }

    private String prefix() throws IOException {
        Set<String> prefixes = new TreeSet<>();
        for (Path path : disk.list(directory)) {
            Matcher name = FILE.matcher(path.getFileName().toString());
            if (name.matches()) {
                prefixes.add(name.group(1));
            }
        }
        if (prefixes.size() != 1) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "directory=" + directory + " has the files of several journals, " + prefixes
                            + "; copy those of one into a directory of their own and give that");
        }
        return prefixes.iterator().next();
    }

    /** Returns the size of the largest file, bytes. */
    private int copyTo(Path copy, String prefix) throws IOException {
        long largest = MIN_FILE_BYTES;
        for (Path path : disk.list(directory)) {
            String name = path.getFileName().toString();
            // Also the files of a compaction: the loader completes it.
            boolean isJournals = name.startsWith(prefix + "-") || name.equals(COMPACTION_CONTROL);
            if (isJournals && disk.kindOf(path) == Disk.PathKind.FILE) {
                WholeFile.copy(disk, path, copy.resolve(name));
                largest = Math.max(largest, disk.size(path));
            }
        }
        return (int) Math.min(largest, Integer.MAX_VALUE);
    }

    private List<RecordInfo> load(Path copy, String prefix, int fileBytes, Findings findings) throws IOException {
        NIOSequentialFileFactory files = new NIOSequentialFileFactory(copy.toFile(), MAX_IO);
        JournalImpl journal =
                new JournalImpl(fileBytes, SPARE_FILES, SPARE_FILES, 0, 0, files, prefix, "txlog", MAX_IO);
        List<RecordInfo> records = new ArrayList<>();
        List<PreparedTransactionInfo> prepared = new ArrayList<>();
        try {
            journal.start();
            try {
                journal.load(
                        records,
                        prepared,
                        (id, added, deleted) -> findings.damage(
                                directory, "the journal has a transaction, id=" + id + ", that is cut off"),
                        false);
            } finally {
                journal.stop();
            }
        } catch (IOException failed) {
            throw failed;
        } catch (Exception refused) { // the journal's signature
            throw new ToolException(
                    ExitStatus.FAILED,
                    "directory=" + directory + " cannot be loaded as a journal: " + refused
                            + "; Narayana cannot load it either, so check that it is complete",
                    refused);
        }
        for (PreparedTransactionInfo each : prepared) {
            findings.damage(
                    directory,
                    "the journal has a prepared transaction, id=" + each.getId() + ", which Narayana does not write");
        }
        return records;
    }

    // A later record of the same name replaces the earlier one, as it does when Narayana loads the journal.
    private void addState(RecordInfo record, Map<NarayanaValues.Name, NarayanaValues> states, Findings findings) {
        String place = directory + " record=" + record.id;
        try {
            PackedBuffer packed = PackedBuffer.of(record.data);
            ObjectId id = ObjectId.of(packed.readUid());
            String type = packed.readString();
            byte[] state = packed.readBytes();
            states.computeIfAbsent(
                            new NarayanaValues.Name(type, id), name -> new NarayanaValues(type, Optional.of(id), place))
                    .put(NarayanaValues.COMMITTED, state);
        } catch (MalformedException malformed) {
            findings.damage(place, "it does not have Narayana's layout: " + malformed.getMessage());
        }
    }
}
