package io.tallystick.narayana.audit;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.recover.ForgottenRecords;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What people have taken out of a log: the records that {@code forget} keeps, and the files that {@code repair} puts
 * aside. A branch without a record in the log may have one there, so its absence proves nothing.
 */
public final class KeptAside {
    /** Nothing was taken out. */
    public static final KeptAside NOTHING = new KeptAside(new HashMap<>(), Optional.empty());

    // As 'forget' writes into the trail.
    private static final Pattern LINE = Pattern.compile("(?m)^.* action=forget .*?\\buid=(\\S+) .*$");

    // The places, by the Uids.
    private final Map<ObjectId, Path> records;
    private final Optional<Path> files;

    private KeptAside(Map<ObjectId, Path> records, Optional<Path> files) {
        this.records = records;
        this.files = files;
    }

    /**
     * Reads these directories; one that is missing has nothing.
     *
     * @throws IOException one cannot be read, so nothing is proven
     */
    public static KeptAside in(Disk disk, Collection<Path> directories) throws IOException {
        Map<ObjectId, Path> records = new HashMap<>();
        Path files = null;
        for (Path directory : directories) {
            if (disk.kindOf(directory) == Disk.PathKind.MISSING) {
                continue;
            }
            for (Path entry : disk.list(directory)) {
                Optional<ObjectId> kept = ForgottenRecords.uidOf(entry);
                if (kept.isPresent()) {
                    records.put(kept.get(), entry);
                } else if (entry.endsWith(SettledTrail.FILE_NAME)) {
                    LINE.matcher(text(disk, entry))
                            .results()
                            .flatMap(line -> NarayanaUid.parse(line.group(1), ':').stream())
                            .forEach(uid -> records.putIfAbsent(uid, entry));
                } else if (directory.endsWith(SettledTrail.directoryIn(Path.of("")))
                        && disk.kindOf(entry) == Disk.PathKind.DIRECTORY) {
                    files = entry;
                }
            }
        }
        return new KeptAside(records, Optional.ofNullable(files));
    }

    private static String text(Disk disk, Path file) throws IOException {
        try (DiskFile trail = disk.open(file, OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(trail.size()));
            trail.readFully(bytes, 0);
            return new String(bytes.array(), StandardCharsets.UTF_8);
        }
    }

    /** Where the record of this branch's transaction is, or may be; empty if nothing speaks for one. */
    public Optional<String> of(BranchId branch) {
        Optional<Path> record = branch.transaction().map(records::get);
        return record.map(path -> "its record was forgotten, says " + path)
                .or(() -> files.map(path ->
                        "a repair has put files of the log aside, in " + path + ", and its record may be among them"));
    }
}
