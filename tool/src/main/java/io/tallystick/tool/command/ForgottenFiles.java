package io.tallystick.tool.command;

import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.storage.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** The files that tell recovery which branches to leave alone. They lie beside a log, and do not go along with it. */
public final class ForgottenFiles {
    private static final Pattern KEPT = Pattern.compile(".*-forget-[-0-9a-f_]+\\.jsonl");

    private ForgottenFiles() {}

    /**
     * What to do about those in the quarantine of a log that is copied; empty if there are none.
     *
     * @throws IOException the quarantine cannot be read
     */
    public static Optional<String> leftIn(Disk disk, Path quarantine) throws IOException {
        if (disk.kindOf(quarantine) != Disk.PathKind.DIRECTORY) {
            return Optional.empty();
        }
        boolean isAny = disk.list(quarantine).stream()
                .map(file -> file.getFileName().toString())
                .anyMatch(name -> name.equals(SettledTrail.FILE_NAME)
                        || KEPT.matcher(name).matches());
        return isAny
                ? Optional.of("records were forgotten or settled by hand, and what tells of them does not go along:"
                        + " copy " + SettledTrail.FILE_NAME + " and *-forget-*.jsonl into "
                        + SettledTrail.directoryIn(Path.of("")) + " of the new store (or tallystick.indoubt.keep-in, of"
                        + " a log in a database) before its node starts; otherwise recovery rolls back branches that it"
                        + " left alone")
                : Optional.empty();
    }
}
