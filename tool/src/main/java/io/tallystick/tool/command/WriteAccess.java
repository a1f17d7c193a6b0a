package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The access to a directory for a command that writes there. It is refused if another user could lead the command out
 * of the directory, or if its new files would belong to the wrong user. The cases:
 *
 * <ul>
 *   <li>a symbolic link anywhere below the directory;
 *   <li>the directory, or one below it, to which its group or others can write; with {@code --trust-group} the group
 *       may;
 *   <li>a command of root on the way through a directory that belongs neither to root nor to the owner of the store;
 *   <li>a command of root in a directory of another user, whose processes could not open the new files. With
 *       {@code --as-owner} root goes on, and each new file and directory gets the owner and the group of the directory.
 * </ul>
 */
public final class WriteAccess {
    private static final String POSIX = "posix";
    private static final String UID = "unix:uid";
    private static final Integer ROOT = 0;

    private WriteAccess() {}

    /**
     * Checks the directory or, if it is missing, the nearest one above it.
     *
     * @param isRoot whether this process may do everything
     * @param isAsOwner whether root may go on
     * @param isGroupTrusted whether the group of a directory may write to it
     * @param commandLine the command for the owner to run
     * @throws ToolException it is refused; nothing was changed
     */
    public static StoreAccess to(
            Path directory, boolean isRoot, boolean isAsOwner, boolean isGroupTrusted, String commandLine)
            throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Path there = absolute;
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS) && there.getParent() != null) {
            there = there.getParent();
        }
        // Each command refuses a path that is not a directory with a message of its own.
        boolean isPlain = !Files.getFileStore(there).supportsFileAttributeView(POSIX)
                || there.equals(absolute) && !Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS);
        Path real = there.toRealPath().resolve(there.relativize(absolute)).normalize();
        // A directory that is missing may be made by another user meanwhile, so the way begins at the first such one.
        int first = Math.min(there.getNameCount() + 1, absolute.getNameCount());
        int missing = absolute.getNameCount() - first;
        List<Path> roots = List.of(above(absolute, missing), above(real, missing));
        if (isPlain) {
            return new GuardedAccess(new GuardedDisk(new SystemDisk(), roots, GuardedDisk.Rule.NONE), false);
        }
        PosixFileAttributes attributes = Files.readAttributes(there, PosixFileAttributes.class);
        boolean isForeign = isRoot && !isRoots(there);
        if (isForeign && !isAsOwner) {
            throw foreign(there, attributes.owner().getName(), commandLine);
        }
        Set<Object> trusted = new HashSet<>();
        if (isRoot) {
            trusted.add(ROOT);
            trusted.add(Files.getAttribute(there, UID, LinkOption.NOFOLLOW_LINKS));
        }
        GuardedDisk disk = new GuardedDisk(
                new SystemDisk(),
                roots,
                new OwnersOnly(roots, isForeign ? Optional.of(attributes) : Optional.empty(), trusted, isGroupTrusted));
        disk.checkTree(real);
        return new GuardedAccess(disk, isForeign || isRoot && !there.equals(absolute));
    }

    private static Path above(Path path, int steps) {
        Path at = path;
        for (int i = 0; i < steps; i++) {
            at = at.getParent();
        }
        return at;
    }

    /** Whether this process runs as root. */
    static boolean isRoot() {
        try {
            return isRoots(Path.of("/proc/self"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notTold) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    private static boolean isRoots(Path path) throws IOException {
        return ROOT.equals(Files.getAttribute(path, UID));
    }

    private static ToolException foreign(Path directory, String owner, String commandLine) {
        boolean isNumber = owner.chars().allMatch(Character::isDigit);
        return new ToolException(
                ExitStatus.REFUSED,
                "directory=" + directory + " belongs to user=" + owner
                        + ", and root would make files there that this user"
                        + " cannot open; nothing was changed. Run 'sudo -u " + (isNumber ? "'#" + owner + "'" : owner)
                        + " " + commandLine + "', or give --as-owner: then each new file gets that owner");
    }

    /**
     * Only the owner writes there, and the owner owns each new file.
     *
     * @param owner of new files; empty for the user of this process
     * @param trusted the numbers of the users to whom directories may belong; none for every user
     */
    private record OwnersOnly(
            List<Path> roots, Optional<PosixFileAttributes> owner, Set<Object> trusted, boolean isGroupTrusted)
            implements GuardedDisk.Rule {
        @Override
        public Optional<String> objection(Path directory) throws IOException {
            List<String> writers = new ArrayList<>();
            PosixFileAttributes attributes =
                    Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!trusted.isEmpty()
                    && !trusted.contains(Files.getAttribute(directory, UID, LinkOption.NOFOLLOW_LINKS))) {
                return Optional.of(
                        " is a directory of user=" + attributes.owner().getName()
                                + ", who could lead a command of root elsewhere; find out who made it there, and remove"
                                + " it, or give it the owner of the store");
            }
            boolean isGroups = attributes.permissions().contains(PosixFilePermission.GROUP_WRITE) && !isGroupTrusted;
            if (isGroups) {
                writers.add("the group " + attributes.group().getName());
            }
            if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
                writers.add("all users");
            }
            return writers.isEmpty()
                    ? Optional.empty()
                    : Optional.of(" is a directory that " + String.join(" and ", writers)
                            + " can write to (owner=" + attributes.owner().getName() + " group="
                            + attributes.group().getName() + " mode="
                            + PosixFilePermissions.toString(attributes.permissions())
                            + "), and so lead this command elsewhere; 'chmod -R go-w " + directory
                            + "', run by the owner, prevents that"
                            + (isGroups ? ", and with --trust-group the group may write there" : ""));
        }

        @Override
        public void made(Path path) throws IOException {
            boolean isOnTheWay = roots.stream().anyMatch(root -> path.startsWith(root) || root.startsWith(path));
            if (owner.isPresent() && isOnTheWay) {
                PosixFileAttributeView view =
                        Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
                view.setGroup(owner.get().group());
                view.setOwner(owner.get().owner());
            }
        }
    }

    /**
     * @param disk of all files
     * @param isThroughDisk whether a store must be made through the disk, because its files get another owner, or
     *     because another user may make the directory of a new one before root does
     */
    private record GuardedAccess(Disk disk, boolean isThroughDisk) implements StoreAccess {
        @Override
        public ObjectStore open(StoreConfiguration configuration) {
            if (!isThroughDisk) {
                return SYSTEM.open(configuration);
            }
            return configuration.get(StoreOption.STORE).equals("file")
                    ? FileStore.open(FileStoreOptions.from(configuration), disk, NanoClock.SYSTEM)
                    : JournalStore.open(JournalOptions.from(configuration), disk, NanoClock.SYSTEM);
        }

        @Override
        public StoreInspector inspectorOf(Path directory) throws IOException {
            return SYSTEM.inspectorOf(directory);
        }
    }
}
