package io.tallystick.testkit.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A file, directory or link of a simulated disk. The lock of the disk guards all fields. */
abstract sealed class SimulatedNode {
    /** A regular file: its visible content, its content on disk, and the unforced changes in between. */
    static final class File extends SimulatedNode {
        PagedBytes seen = new PagedBytes();
        PagedBytes durable = new PagedBytes();
        final List<Change> unsynced = new ArrayList<>();
        final WritebackErrors writebackErrors = new WritebackErrors();
        private final List<StaleBytes> stale = new ArrayList<>();
        private final Set<Long> unreadable = new TreeSet<>();
        // The page cache shows changes that were lost on the way to the disk.
        private boolean showsLostChanges;

        /** Performs a change that a crash may lose. */
        void change(Change change) {
            change.applyTo(seen);
            unsynced.add(change);
            stale.removeIf(change::concerns);
            heal(change);
        }

        /**
         * Performs a write that is on disk at once, together with the unforced writes that it overlaps. Other writes
         * may still be lost.
         */
        void changeDurably(Write write) {
            write.applyTo(seen);
            heal(write);
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

        /** The content on disk after a crash, of sectors some of which are still unreadable. */
        File afterCrash(PagedBytes content) {
            File copy = new File();
            copy.durable = content;
            copy.seen = content.copy();
            copy.unreadable.addAll(unreadable);
            return copy;
        }

        /** The system has failed to bring the unforced changes to disk, and keeps the error for a later force. */
        void failWriteback(WritebackReport report, boolean isGoneAtOnce) {
            if (unsynced.isEmpty()) {
                return;
            }
            unsynced.clear();
            if (isGoneAtOnce) {
                seen = durable.copy();
            }
            showsLostChanges |= !isGoneAtOnce;
            writebackErrors.add(report);
        }

        void failReads(long position, long length) {
            for (long sector = position / CrashDamage.SECTOR;
                    sector * CrashDamage.SECTOR < position + length;
                    sector++) {
                unreadable.add(sector);
            }
        }

        void healReads() {
            unreadable.clear();
            stale.clear();
        }

        /** A drive that gets the whole of a sector puts it elsewhere. */
        private void heal(Change change) {
            if (change instanceof Write write) {
                unreadable.removeIf(sector -> write.position <= sector * CrashDamage.SECTOR
                        && (sector + 1) * CrashDamage.SECTOR <= write.end());
            }
        }

        void checkReadable(Path path, long position, int length) throws IOException {
            for (long sector : unreadable) {
                if (position < (sector + 1) * CrashDamage.SECTOR && sector * CrashDamage.SECTOR < position + length) {
                    throw new IOException(path + " position=" + sector * CrashDamage.SECTOR + ": " + DiskFault.EIO);
                }
            }
        }

        /** The page cache will not hear of this write for so many reads. */
        void lag(Write write, int reads) {
            int known = (int) Math.max(0, Math.min(write.bytes.length, seen.size() - write.position));
            if (reads > 0 && known > 0) {
                ByteBuffer before = ByteBuffer.allocate(known);
                seen.read(before, write.position);
                stale.add(new StaleBytes(new Write(write.position, before.array()), reads));
            }
        }

        int readThroughPageCache(ByteBuffer target, long position) {
            int start = target.position();
            int count = seen.read(target, position);
            // The oldest bytes last: the page has not heard of any later write.
            for (int i = stale.size() - 1; i >= 0; i--) {
                if (stale.get(i).overlay(target, start, position, count)) {
                    stale.remove(i);
                }
            }
            return count;
        }

        /**
         * Reads from the disk itself. The system brings unforced changes of the bytes there before, but no lost ones.
         */
        int readPastPageCache(ByteBuffer target, long position) {
            if (!showsLostChanges) {
                return seen.read(target, position);
            }
            PagedBytes onDisk = durable.copy();
            unsynced.forEach(change -> change.applyTo(onDisk));
            return onDisk.read(target, position);
        }

        /**
         * A force failed: the changes stay visible in the page cache until the crash, and no later force brings them to
         * disk.
         */
        void loseUnsynced() {
            showsLostChanges |= !unsynced.isEmpty();
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

    /** Bytes of the page cache that a direct write has overtaken. */
    private static final class StaleBytes {
        private final Write before;
        private int readsLeft;

        StaleBytes(Write before, int reads) {
            this.before = before;
            this.readsLeft = reads;
        }

        /** Puts the stale bytes over those that were read; true if that was for the last time. */
        boolean overlay(ByteBuffer target, int start, long position, int count) {
            long from = Math.max(position, before.position);
            long to = Math.min(position + count, before.end());
            if (from >= to) {
                return false;
            }
            target.put(
                    (int) (start + from - position), before.bytes, (int) (from - before.position), (int) (to - from));
            readsLeft--;
            return readsLeft == 0;
        }
    }

    /** A change of a file's content that is not yet on disk. */
    sealed interface Change {
        void applyTo(PagedBytes content);

        /** Whether the page cache knows these bytes anew by this change. */
        default boolean concerns(StaleBytes stale) {
            return true;
        }
    }

    /** Bytes at a position. */
    record Write(long position, byte[] bytes) implements Change {
        @Override
        public void applyTo(PagedBytes content) {
            content.write(position, bytes, 0, bytes.length);
        }

        @Override
        public boolean concerns(StaleBytes stale) {
            return overlaps(stale.before);
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
