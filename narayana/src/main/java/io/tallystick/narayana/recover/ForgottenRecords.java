package io.tallystick.narayana.recover;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The records of a log that were forgotten by hand, by the names of the files in which {@code tallystick forget} keeps
 * them: {@code 2026-11-27T03-12-45Z-forget-0_ffff7f000001_8f3b_6566a5e2_12.jsonl}. It reads no file.
 */
public final class ForgottenRecords implements Predicate<ObjectId> {
    private static final Pattern FILE = Pattern.compile(".*-forget-([-0-9a-f_]+)\\.jsonl");

    private final Set<ObjectId> uids;

    private ForgottenRecords(Set<ObjectId> uids) {
        this.uids = Set.copyOf(uids);
    }

    /** Those that are kept in this directory now; none if it is not there. */
    public static ForgottenRecords in(Disk disk, Path directory) throws IOException {
        Set<ObjectId> uids = new HashSet<>();
        if (disk.kindOf(directory) != Disk.PathKind.MISSING) {
            for (Path file : disk.list(directory)) {
                uidOf(file).ifPresent(uids::add);
            }
        }
        return new ForgottenRecords(uids);
    }

    /** The Uid of the record that {@code forget} has kept in a file of this name; empty for other files. */
    public static Optional<ObjectId> uidOf(Path file) {
        Matcher name = FILE.matcher(file.getFileName().toString());
        return name.matches() ? NarayanaUid.parse(name.group(1), '_') : Optional.empty();
    }

    /** Whether the record with this Uid was forgotten. */
    @Override
    public boolean test(ObjectId uid) {
        return uids.contains(uid);
    }
}
