package io.tallystick.testkit.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A file, directory or link of a simulated disk. The lock of the disk guards all fields. */
abstract sealed class SimulatedNode {
    /** A regular file: its visible content, its content on disk, and the unforced changes in between. */
    static final class File extends SimulatedNode {
        PagedBytes seen = new PagedBytes();
        PagedBytes durable = new PagedBytes();
        final List<Change> unsynced = new ArrayList<>();

        /** Performs a change that a crash may lose. */
        void change(Change change) {
            change.applyTo(seen);
            unsynced.add(change);
        }

        /**
         * Performs a write that is on disk at once, together with the unforced writes that it overlaps. Other writes
         * may still be lost.
         */
        void changeDurably(Write write) {
            write.applyTo(seen);
            if (unsynced.stream().anyMatch(change -> change instanceof Resize)) {
                force();
                return;
            }
            for (Iterator<Change> changes = unsynced.iterator(); changes.hasNext(); ) {
                Change change = changes.next();
                if (change instanceof Write earlier && earlier.overlaps(write)) {
                    change.applyTo(durable);
                    changes.remove();
                }
            }
            write.applyTo(durable);
        }

        /** Brings all changes since the last force to disk. */
        void force() {
            unsynced.forEach(change -> change.applyTo(durable));
            unsynced.clear();
        }

        /** A force failed: the changes stay visible until the crash, and no later force brings them to disk. */
        void loseUnsynced() {
            unsynced.clear();
        }
    }

    /** A directory: its visible names and its names on disk. */
    static final class Directory extends SimulatedNode {
        final Map<String, SimulatedNode> seen = new HashMap<>();
        final Map<String, SimulatedNode> durable = new HashMap<>();
    }

    /** A symbolic link. */
    static final class Link extends SimulatedNode {
        final Path target;

        Link(Path target) {
            this.target = target;
        }
    }

    /** A change of a file's content that is not yet on disk. */
    sealed interface Change {
        void applyTo(PagedBytes content);
    }

    /** Bytes at a position. */
    record Write(long position, byte[] bytes) implements Change {
        @Override
        public void applyTo(PagedBytes content) {
            content.write(position, bytes, 0, bytes.length);
        }

        long end() {
            return position + bytes.length;
        }

        boolean overlaps(Write other) {
            return position < other.end() && other.position < end();
        }
    }

    /** A new size. */
    record Resize(long size) implements Change {
        @Override
        public void applyTo(PagedBytes content) {
            content.resize(size);
        }
    }
}
