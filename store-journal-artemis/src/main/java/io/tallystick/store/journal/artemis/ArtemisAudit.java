package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.spi.Damage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.activemq.artemis.core.journal.impl.AbstractJournalUpdateTask;

/**
 * Finds the files that count, and checks that no acknowledged batch is missing. The file with the newest batch is the
 * authority; {@link ArtemisRecovery} explains it.
 */
final class ArtemisAudit {
    private final DamageListener listener;

    /** An audit whose listener hears of all damage. */
    ArtemisAudit(DamageListener listener) {
        this.listener = listener;
    }

    /** The files of the journal, by name. A stranger has the prefix of the journal, and a name that it never writes. */
    static List<Path> journalFiles(Disk disk, Path directory, Consumer<Path> strangers) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path path : disk.list(directory)) {
            String name = path.getFileName().toString();
            boolean isJournals = name.startsWith(ArtemisFormat.PREFIX + "-")
                    || name.equals(AbstractJournalUpdateTask.FILE_COMPACT_CONTROL);
            if (ArtemisFormat.FILE_NAME.matcher(name).matches()) {
                files.add(path);
            } else if (isJournals
                    && !ArtemisFormat.UNFINISHED_NAME.matcher(name).matches()) {
                strangers.accept(path);
            }
        }
        files.sort(null);
        return files;
    }

    /** The sizes that headers name. */
    static Set<Integer> sizesOf(List<FileScan> scans) {
        Set<Integer> sizes = new HashSet<>();
        for (FileScan scan : scans) {
            scan.header().ifPresent(header -> sizes.add(header.fileBytes()));
        }
        return sizes;
    }

    /** The scan with the newest batch; null if there is no batch. */
    static FileScan newestOf(List<FileScan> scans) {
        FileScan newest = null;
        for (FileScan scan : scans) {
            if (scan.hasBatches() && (newest == null || scan.lastSequence() > newest.lastSequence())) {
                newest = scan;
            }
        }
        return newest;
    }

    /** Checks that no batch is later than the newest one, and that no header knows of a later one. */
    void checkNothingIsNewer(List<FileScan> scans, FileScan newest) {
        long last = newest == null ? 0 : newest.lastSequence();
        Map<Long, FileScan> byId = new HashMap<>();
        for (FileScan scan : scans) {
            if (scan.highestSequence() > last) {
                listener.damaged(
                        scan.path(),
                        scan.brokenAt().orElse(0),
                        scan.header().isEmpty() ? Damage.Kind.HEADER : Damage.Kind.BATCH,
                        "it holds batch " + scan.highestSequence() + ", but the batches before it or the header are"
                                + " damaged");
            }
            if (scan.header().isEmpty()) {
                if (newest == null) {
                    listener.damaged(scan.path(), 0, Damage.Kind.HEADER, "its header is damaged");
                }
                continue;
            }
            FileHeader header = scan.header().get();
            if (header.sequence() > last) {
                listener.damaged(
                        scan.path(),
                        0,
                        Damage.Kind.MISSING,
                        "its header knows of batch " + header.sequence() + ", but the newest one found is " + last
                                + ": a file is missing or damaged");
            }
            FileScan twin = byId.put(header.fileId(), scan);
            if (twin != null) {
                listener.damaged(
                        scan.path(),
                        0,
                        Damage.Kind.MISPLACED,
                        "it has the same file-id as " + twin.path() + ": one is a copy");
            }
        }
    }

    /** The files whose batches count: the newest, and those that it names and that were not replaced since. */
    List<FileScan> dataOf(FileScan newest, List<FileScan> scans) {
        Map<Long, FileScan> byId = new HashMap<>();
        Set<Long> replaced = new HashSet<>();
        for (FileScan scan : scans) {
            if (scan.header().isPresent()) {
                byId.put(scan.fileId(), scan);
                replaced.add(scan.header().get().replacedId());
            }
        }
        List<FileScan> data = new ArrayList<>();
        newest.files().forEach((id, last) -> {
            FileScan scan = byId.get(id);
            if (scan == null) {
                if (!replaced.contains(id)) {
                    listener.damaged(
                            newest.path(),
                            ArtemisFormat.DATA_OFFSET,
                            Damage.Kind.MISSING,
                            "the file with file-id=" + id + " that it names is missing, or its header is damaged");
                }
                return;
            }
            if (scan.lastSequence() != last) {
                listener.damaged(
                        scan.path(),
                        scan.end(),
                        Damage.Kind.BATCH,
                        "batch " + (scan.hasBatches() ? scan.lastSequence() + 1 : "at the beginning")
                                + " is damaged; the batches up to " + last + " were on disk");
            }
            data.add(scan);
        });
        if (newest.brokenAt().isPresent()) {
            listener.damaged(
                    newest.path(),
                    newest.brokenAt().getAsLong(),
                    Damage.Kind.BATCH,
                    "batch " + (newest.lastSequence() + 1) + " is damaged; later ones are whole");
        }
        data.add(newest);
        return data;
    }
}
