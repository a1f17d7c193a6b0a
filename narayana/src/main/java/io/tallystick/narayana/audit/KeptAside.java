package io.tallystick.narayana.audit;

import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.recover.ForgottenRecords;
import io.tallystick.storage.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What people have taken out of a log: the records that {@code forget} keeps, and the files that {@code repair} puts
 * aside. A branch without a record in the log may have one there, so its absence proves nothing.
 */
public final class KeptAside {
    /** Nothing was taken out. */
    public static final KeptAside NOTHING = new KeptAside(ForgottenRecords.NONE, Optional.empty(), true);

    private final ForgottenRecords forgotten;
    private final Optional<Path> files;
    private final boolean isAnywhere;

    private KeptAside(ForgottenRecords forgotten, Optional<Path> files, boolean isAnywhere) {
        this.forgotten = forgotten;
        this.files = files;
        this.isAnywhere = isAnywhere;
    }

    /**
     * Reads these directories.
     *
     * @param directories one that is missing has nothing
     * @param configured those that a person has configured; one that is missing cannot be read
     * @throws IOException one cannot be read, so nothing is proven
     */
    public static KeptAside in(Disk disk, Collection<Path> directories, Collection<Path> configured)
            throws IOException {
        Path files = null;
        for (Path directory :
                Stream.concat(directories.stream(), configured.stream()).toList()) {
            boolean isQuarantine = directory.endsWith(SettledTrail.directoryIn(Path.of("")));
            if (!isQuarantine || disk.kindOf(directory) == Disk.PathKind.MISSING) {
                continue;
            }
            for (Path entry : disk.list(directory)) {
                files = disk.kindOf(entry) == Disk.PathKind.DIRECTORY ? entry : files;
            }
        }
        return new KeptAside(
                ForgottenRecords.in(disk, directories, configured),
                Optional.ofNullable(files),
                !directories.isEmpty() || !configured.isEmpty());
    }

    /** Whether there was a place to look at. If not, it is not known what people have taken out. */
    public boolean isAnywhere() {
        return isAnywhere;
    }

    /** Where the record of this branch's transaction is, or may be; empty if nothing speaks for one. */
    public Optional<String> of(BranchId branch) {
        return forgotten
                .placeOf(branch)
                .map(path -> "its record was forgotten, says " + path)
                .or(() -> forgotten.isWhole()
                        ? Optional.empty()
                        : Optional.of("more than " + ForgottenRecords.MOST + " records were forgotten, and its record"
                                + " may be among them"))
                .or(() -> files.map(path ->
                        "a repair has put files of the log aside, in " + path + ", and its record may be among them"));
    }
}
