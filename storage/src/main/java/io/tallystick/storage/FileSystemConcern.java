package io.tallystick.storage;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Why a log should not lie on a file system of some type, by the operating system's name for the type. An unknown type
 * is no concern: a needless warning teaches people to overlook the next one.
 */
public enum FileSystemConcern {
    /** The file system is memory. */
    MEMORY(
            "TALLY0101",
            Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs"),
            "which is memory: acknowledged states are gone after a reboot, and in a container after it has ended;"
                    + " configure a directory on a disk"),
    /** The file system is the uppermost layer of a container's image. */
    CONTAINER_LAYER(
            "TALLY0102",
            Set.of("overlay", "overlayfs", "aufs", "unionfs"),
            "which usually is a container's own layer: it is deleted with the container, and with it what recovery"
                    + " needs; mount a volume there"),
    /** The file system's disk belongs to another machine or to a program. */
    REMOTE(
            "TALLY0103",
            Set.of(
                    "nfs",
                    "nfs4",
                    "unc",
                    "cifs",
                    "smb",
                    "smb2",
                    "smb3",
                    "smbfs",
                    "9p",
                    "virtiofs",
                    "afs",
                    "ceph",
                    "glusterfs",
                    "lustre",
                    "beegfs",
                    "gpfs",
                    "ncpfs",
                    "vboxsf",
                    "vmhgfs",
                    "drvfs",
                    "prl_fs",
                    "fakeowner",
                    "afpfs",
                    "webdav",
                    "macfuse",
                    "osxfuse",
                    "fuse",
                    "fuseblk"),
            "a file system of another machine or of a program: whether a forced write is on a disk, and whether a lock"
                    + " keeps another node out, is up to that one; configure a directory on a local disk or a block"
                    + " volume");

    private static final String OF_A_PROGRAM = "fuse.";

    private final String messageId;
    private final Set<String> types;
    private final String why;

    FileSystemConcern(String messageId, Set<String> types, String why) {
        this.messageId = messageId;
        this.types = types;
        this.why = why;
    }

    /** The concern about this type; empty where there is none or the type is unknown. */
    public static Optional<FileSystemConcern> about(String fileSystemType) {
        String type = fileSystemType.toLowerCase(Locale.ROOT);
        String family = type.startsWith(OF_A_PROGRAM) ? "fuse" : type;
        for (FileSystemConcern concern : values()) {
            if (concern.types.contains(family)) {
                return Optional.of(concern);
            }
        }
        return Optional.empty();
    }

    /** The problem and the remedy, as the end of a sentence about a file system. */
    public String why() {
        return why;
    }

    /** The line for the log. */
    String warning(String directory, String fileSystemType) {
        return messageId + " directory=" + directory + " lies on " + fileSystemType + ", " + why;
    }
}
