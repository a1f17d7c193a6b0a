package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** What a person needs to mend a refused access: the file, its owner and mode, and the user who was refused. */
public final class DeniedAccess {
    private DeniedAccess() {}

    /** The text of a failure: what {@link #describe} says of a refused access, and else its own words. */
    public static String textOf(Throwable failure) {
        return failure instanceof AccessDeniedException denied ? describe(denied) : String.valueOf(failure);
    }

    /**
     * Describes the refusal, such as {@code user=app may not use file=/tx/tallystick.store, which has owner=root
     * group=root mode=rw-------}. Where the file itself cannot be looked at, it describes the nearest directory above.
     */
    public static String describe(AccessDeniedException denied) {
        String user = "user=" + System.getProperty("user.name");
        if (denied.getFile() == null) {
            return "access is denied to " + user;
        }
        Path file = Path.of(denied.getFile()).toAbsolutePath();
        String refusal = user + " may not use file=" + file;
        if (String.valueOf(denied.getReason()).contains(DiskRemedy.ASKED_AGAIN)) {
            return refusal + ": " + denied.getReason();
        }
        for (Path at = file; at != null; at = at.getParent()) {
            try {
                return refusal + (at.equals(file) ? ", which has " : "; directory=" + at + " has ") + ownership(at);
            } catch (IOException | UnsupportedOperationException notToldHere) {
                // the next one above may tell
            }
        }
        return refusal;
    }

    private static String ownership(Path path) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return "owner=" + attributes.owner().getName() + " group="
                + attributes.group().getName() + " mode=" + PosixFilePermissions.toString(attributes.permissions());
    }
}
