package io.tallystick.narayana.recover;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StoreOption;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The records of a log that were forgotten by hand. Two things tell of one: the name of the file in which {@code
 * forget} keeps it, {@code 2026-11-27T03-12-45Z-forget-0_ffff7f000001_8f3b_6566a5e2_12.jsonl}, and its line in {@code
 * settled.log}. No kept record is read.
 *
 * <p>It knows {@value #MOST} of them at most; see {@link #isWhole}.
 */
public final class ForgottenRecords {
    /** How many are kept in memory. */
    public static final int MOST = 100_000;

    /** None was forgotten. */
    public static final ForgottenRecords NONE = new ForgottenRecords();

    private static final Pattern FILE = Pattern.compile(".*-forget-([-0-9a-f_]+)\\.jsonl");
    // As 'forget' writes into the trail, before the reason, which may have such words, too.
    private static final Pattern FORGOTTEN = Pattern.compile(" action=forget uid=(\\S+)");
    private static final Pattern PARENT = Pattern.compile(" parent=(\\S+)");
    private static final String REASON = " reason=";
    private static final int BLOCK_BYTES = 1 << 16;
    // A line of the trail is shorter; what is longer is no line of ours.
    private static final int MOST_LINE_BYTES = 1 << 16;

    private final Map<ObjectId, Path> byUid = new HashMap<>();
    // The branches of an imported transaction have the global part of its parent, and not its own Uid.
    private final Map<String, Path> byGlobal = new HashMap<>();

    private ForgottenRecords() {}

    /**
     * Those that these directories tell of now.
     *
     * @param directories one that is missing has none, such as a quarantine that was never needed
     * @param configured those that a person has configured; one that is missing may be a volume that is not mounted
     * @throws IOException one cannot be read, so that it is not known which were forgotten
     */
    public static ForgottenRecords in(Disk disk, Collection<Path> directories, Collection<Path> configured)
            throws IOException {
        ForgottenRecords found = new ForgottenRecords();
        for (Path directory : configured) {
            if (disk.kindOf(directory) == Disk.PathKind.MISSING) {
                throw new IOException(missing(directory));
            }
            found.addAll(disk, directory);
        }
        for (Path directory : directories) {
            if (disk.kindOf(directory) != Disk.PathKind.MISSING) {
                found.addAll(disk, directory);
            }
        }
        return found;
    }

    /** What is to be told of a configured directory that is missing. */
    public static String missing(Path configured) {
        return configured + " is missing, which " + StoreOption.INDOUBT_KEEP_IN.key() + " names: make the directory, or"
                + " mount it";
    }

    private void addAll(Disk disk, Path directory) throws IOException {
        for (Path entry : disk.list(directory)) {
            Optional<ObjectId> kept = uidOf(entry);
            if (kept.isPresent()) {
                add(kept.get(), entry);
            } else if (entry.endsWith(SettledTrail.FILE_NAME)) {
                addTrail(disk, entry);
            }
        }
    }

    /** The Uid of the record that {@code forget} has kept in a file of this name; empty for other files. */
    public static Optional<ObjectId> uidOf(Path file) {
        Matcher name = FILE.matcher(file.getFileName().toString());
        return name.matches() ? NarayanaUid.parse(name.group(1), '_') : Optional.empty();
    }

    private void add(ObjectId uid, Path place) {
        if (isWhole()) {
            byUid.put(uid, place);
        }
    }

    private void addTrail(Disk disk, Path file) throws IOException {
        try (DiskFile trail = disk.open(file, OpenMode.READ)) {
            long size = trail.size();
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (long at = 0; at < size; ) {
                ByteBuffer block = ByteBuffer.allocate((int) Math.min(BLOCK_BYTES, size - at));
                trail.readFully(block, at);
                at += block.capacity();
                for (byte each : block.array()) {
                    if (each == '\n') {
                        addLine(line.toString(StandardCharsets.UTF_8), file);
                        line.reset();
                    } else if (line.size() < MOST_LINE_BYTES) {
                        line.write(each);
                    }
                }
            }
            addLine(line.toString(StandardCharsets.UTF_8), file);
        }
    }

    private void addLine(String whole, Path file) {
        int reason = whole.indexOf(REASON);
        String line = reason < 0 ? whole : whole.substring(0, reason);
        Matcher forgotten = FORGOTTEN.matcher(line);
        boolean isForget = false;
        while (forgotten.find() && isWhole()) {
            isForget = true;
            NarayanaUid.parse(forgotten.group(1), ':').ifPresent(uid -> byUid.putIfAbsent(uid, file));
        }
        Matcher parent = PARENT.matcher(line);
        while (isForget && parent.find() && isWhole()) {
            globalOf(parent.group(1)).ifPresent(global -> byGlobal.put(global, file));
        }
    }

    private static Optional<String> globalOf(String xid) {
        try {
            return Optional.of(BranchId.parse(xid).global());
        } catch (IllegalArgumentException noneOfOurs) {
            return Optional.empty();
        }
    }

    /** Whether all were counted. If not, nothing is proven by the absence of one. */
    public boolean isWhole() {
        return byUid.size() + byGlobal.size() <= MOST;
    }

    /** Where the record with this Uid is kept, or was noted; empty if it was not forgotten. */
    public Optional<Path> placeOf(ObjectId uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    /** Where the record of this branch's transaction is kept, or was noted; empty if it was not forgotten. */
    public Optional<Path> placeOf(BranchId branch) {
        return branch.transaction().flatMap(this::placeOf).or(() -> Optional.ofNullable(byGlobal.get(branch.global())));
    }
}
