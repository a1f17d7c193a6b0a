package io.tallystick.testkit.disk;

import java.nio.file.Path;

/**
 * An operation in the log of a {@link FaultInjectingDisk}.
 *
 * @param operation its kind
 * @param file the file or directory; the source of a rename
 * @param position offset in the file, bytes; -1 if the operation has none
 * @param length number of bytes requested; -1 if the operation has none
 * @param outcome {@code done}, or the failure
 */
public record DiskEvent(DiskOperation operation, Path file, long position, long length, String outcome) {
    /** One line, such as {@code write file=/store/log position=512 length=100 done}. */
    @Override
    public String toString() {
        String detail =
                (position < 0 ? "" : "position=" + position + " ") + (length < 0 ? "" : "length=" + length + " ");
        return operation.describe(file, detail + outcome);
    }
}
