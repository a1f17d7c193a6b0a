package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.storage.Disk;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The migration that a source is marked with. Its transactions may have ended in the store that took them along, so a
 * second store with them would carry them out again.
 *
 * @param mark of the source
 * @param time when the mark was written
 */
record EarlierMigration(MigrationMark mark, Instant time) {
    /** The one of this source; empty if it has no mark. */
    static Optional<EarlierMigration> of(Disk disk, LogSource source) throws IOException {
        Optional<Path> place = source.markPlace();
        Optional<MigrationMark> mark = place.isPresent() ? MigrationMark.in(disk, place.get()) : Optional.empty();
        if (mark.isEmpty()) {
            return Optional.empty();
        }
        Path file = place.get().resolve(MigrationMark.FILE_NAME);
        return Optional.of(new EarlierMigration(
                mark.get(), Files.getLastModifiedTime(file).toInstant().truncatedTo(ChronoUnit.SECONDS)));
    }

    /** Whether it made the store of this identity; of none, if that is empty. */
    boolean made(String identity) {
        return mark.isOf(Optional.of(identity));
    }

    /** For a target that is another store, or none. */
    ToolException refusal(LogSource source) {
        return new ToolException(
                ExitStatus.REFUSED,
                source.description() + " was migrated to " + mark.to() + " on " + time
                        + ": its transactions may have ended there, and a second store would carry them out again;"
                        + " nothing was changed. Use the store that has them, or give --again if that store is gone,"
                        + " or was never opened");
    }

    /**
     * What to do about the store that it made, if the store is not the same as the source any more.
     *
     * @param read the records that the source has now
     */
    String remedy(MigrationMark read) {
        return mark.hasAllOf(read)
                ? "the source was migrated there on " + time + ", and that store has gone on since. So nothing is to be"
                        + " done: use that store, and move the source away once its transactions have ended"
                : "the source was migrated there on " + time + ", and has records that came later: start once more with"
                        + " the old store until they have ended, then move the source away";
    }
}
