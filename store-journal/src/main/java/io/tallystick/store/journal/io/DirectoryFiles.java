package io.tallystick.store.journal.io;

import io.tallystick.storage.Disk;
import io.tallystick.storage.LossMark;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedFile.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** The files in a journal's directory, each with its role. */
public final class DirectoryFiles {
    private final Disk disk;
    private final Function<Path, Optional<InspectedFile.Role>> journalsOwn;
    private final Function<Path, String> remarks;
    private final Function<Path, OptionalLong> ignored;
    private final List<InspectedFile> files = new ArrayList<>();

    private DirectoryFiles(
            Disk disk,
            Function<Path, Optional<InspectedFile.Role>> journalsOwn,
            Function<Path, String> remarks,
            Function<Path, OptionalLong> ignored) {
        this.disk = disk;
        this.journalsOwn = journalsOwn;
        this.remarks = remarks;
        this.ignored = ignored;
    }

    /**
     * Every file below the directory, links not followed, in the order of their paths.
     *
     * @param journalsOwn the role of a file that the engine knows
     * @param remarks gives the remark on a file
     * @param ignored tells where in a file bytes are {@linkplain InspectedFile#ignoredAt ignored}
     */
    public static List<InspectedFile> in(
            Disk disk,
            Path directory,
            Function<Path, Optional<InspectedFile.Role>> journalsOwn,
            Function<Path, String> remarks,
            Function<Path, OptionalLong> ignored)
            throws IOException {
        DirectoryFiles listing = new DirectoryFiles(disk, journalsOwn, remarks, ignored);
        for (Path path : disk.list(directory).stream().sorted().toList()) {
            listing.add(path, listing.roleOf(path));
        }
        return listing.files;
    }

    private Role roleOf(Path path) {
        String name = path.getFileName().toString();
        return switch (name) {
            case StoreIdentity.FILE_NAME, StoreDirectory.NODE_FILE -> Role.IDENTITY;
            case StoreDirectory.LOCK_FILE -> Role.LOCK;
            case StoreDirectory.OWNER_FILE -> Role.OWNER;
            case StoreDirectory.IO_FILE, StoreDirectory.PLACE_FILE -> Role.HINT;
            case LossMark.FILE_NAME, LossMark.ACCEPTED_FILE_NAME -> Role.LOSS;
            case StoreDirectory.QUARANTINE_DIRECTORY -> Role.QUARANTINE;
            default ->
                StoreDirectory.isOwnFile(path)
                        ? Role.LEFTOVER
                        : journalsOwn.apply(path).orElse(Role.STRANGER);
        };
    }

    private void add(Path path, Role role) throws IOException {
        switch (disk.kindOf(path)) {
            case FILE ->
                files.add(new InspectedFile(path, role, disk.size(path), remarks.apply(path), ignored.apply(path)));
            case DIRECTORY -> {
                for (Path below : disk.list(path).stream().sorted().toList()) {
                    add(below, role);
                }
            }
            case MISSING -> {
                // deleted since it was listed
            }
            default -> files.add(new InspectedFile(path, Role.STRANGER, 0, "not a regular file"));
        }
    }
}
