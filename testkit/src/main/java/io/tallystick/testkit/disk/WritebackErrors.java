package io.tallystick.testkit.disk;

import java.io.IOException;
import java.nio.file.Path;

/** The errors of writing a file back that no force has told yet. The lock of the disk guards all fields. */
final class WritebackErrors {
    private long count;
    private boolean isSeen = true;
    private WritebackReport report = WritebackReport.EACH_DESCRIPTOR;

    void add(WritebackReport newReport) {
        count++;
        isSeen = false;
        report = newReport;
    }

    /** The errors as a descriptor that is opened now will see them. */
    Cursor cursor() {
        return new Cursor(isSeen ? count : count - 1);
    }

    /** The errors that one descriptor was told. */
    final class Cursor {
        private long told;

        private Cursor(long told) {
            this.told = told;
        }

        /** Throws if there is an error that this descriptor is to be told, for the last time. */
        void check(Path path) throws IOException {
            boolean isDue = report == WritebackReport.FIRST_FORCE ? !isSeen : told != count;
            told = count;
            if (isDue) {
                isSeen = true;
                throw new IOException(path + ": " + DiskFault.EIO);
            }
        }
    }
}
