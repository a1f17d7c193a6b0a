package io.tallystick.storage;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** What a person can do about an operation of the disk that has failed for another reason than a lack of room. */
public final class DiskRemedy {
    /** Part of the reason of a refusal that did not end within some time; the time follows. */
    static final String ASKED_AGAIN = "another program may have it open: asked again for ";

    private DiskRemedy() {}

    /** The remedy, as a command without a full stop, such as {@code check that the disk is sound and has room}. */
    public static String of(Throwable failure) {
        if (failure instanceof FileSystemException refused
                && String.valueOf(refused.getReason()).contains(ASKED_AGAIN)) {
            return "close the program that has the file open, and except the directory from virus scanners, indexers"
                    + " and backups"
                    + (failure instanceof AccessDeniedException ? "; check the rights of this user" : "");
        }
        return failure instanceof AccessDeniedException
                ? "give this user the right to it"
                : "check that the disk is sound, writable and has room";
    }
}
