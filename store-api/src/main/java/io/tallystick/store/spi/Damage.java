package io.tallystick.store.spi;

import io.tallystick.store.StateKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * One place where a store's bytes differ from those that were written.
 *
 * @param file the file, or the directory where a file is missing; of a log in a database table and row, such as
 *     {@code tallystick_batch/17}
 * @param offset the place in the file, bytes
 * @param kind the sort of the damage
 * @param key the key that is concerned, as far as the bytes that are left say
 * @param reason the fault that was found there
 */
public record Damage(Path file, long offset, Kind kind, Optional<StateKey> key, String reason) {
    public Damage {
        Objects.requireNonNull(file);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(key);
        Objects.requireNonNull(reason);
    }

    /** Damage that concerns no key in particular. */
    public static Damage of(Path file, long offset, Kind kind, String reason) {
        return new Damage(file, offset, kind, Optional.empty(), reason);
    }

    /** Place, kind, key, reason, meaning and remedy, on one line. */
    public String describe() {
        return (kind.isOfRow() ? "row=" : "file=") + file + " offset=" + offset + " kind=" + kind.label()
                + key.map(damaged -> " key=" + damaged.toPrintable()).orElse("") + ": " + reason + ". "
                + kind.meaning() + "; " + kind.remedy();
    }

    /** The sort of the damage, with its meaning and its remedy. */
    public enum Kind {
        /** The file that says which store this is. */
        IDENTITY(
                "identity",
                "the store cannot be opened, its records are not touched by this",
                "put the file back from a backup, or run repair"),
        /** The header of a file. */
        HEADER(
                "header",
                "only the other bytes of the file tell which of its records count",
                "restore a backup, or run repair, which keeps all whole records"),
        /** A group of records that was on disk as a whole. */
        BATCH(
                "batch",
                "records that were acknowledged are gone, or are older than they were",
                "restore a backup, or run repair, which keeps all whole records"),
        /** One record. */
        RECORD(
                "record",
                "this record was acknowledged and is gone, or is older than it was",
                "restore a backup, or run repair and settle this record by hand with its resource managers"),
        /** A file that must be there is not. */
        MISSING(
                "missing",
                "all that stood in the file is gone",
                "put the file back, restore a backup, or run repair, which keeps all whole records"),
        /** A file stands where another one should. */
        MISPLACED("misplaced", "the file was moved, copied or exchanged", "put it back to its place, or run repair"),
        /** Something in the directory that no store makes. */
        STRANGER("stranger", "it is not of this store's making", "if it is yours, move it out of the directory"),
        /** The device does not give the bytes. */
        UNREADABLE(
                "unreadable",
                "the disk or the file system has failed here",
                "copy the directory to a sound disk before anything else, then run repair on the copy"),
        /** A newer library wrote it. */
        NEWER("newer", "it may be whole, but this library cannot tell", "use the newer library that wrote it"),
        /** A row of a log in a database. */
        ROW(
                "row",
                "records that were acknowledged are gone, or are older than they were, and the log does not open",
                "restore the database from a backup of a time when it was whole"),
        /** A row that must be there is not. */
        MISSING_ROW(
                "missing-row",
                "records that were acknowledged are gone, or are older than they were, and the log does not open",
                "restore the database from a backup of a time when it was whole"),
        /** A row that is not of this log's making. */
        FOREIGN_ROW(
                "foreign-row",
                "the tables do not belong together, or another program writes to them",
                "find out who wrote it before a process opens the log; restore all tables from one backup"),
        /** The row that tells who may write. */
        FENCE(
                "fence",
                "a process that was replaced may still write, or the owner cannot",
                "stop all processes of the node and start one: it gives every lane a new epoch");

        private final String label;
        private final String meaning;
        private final String remedy;

        Kind(String label, String meaning, String remedy) {
            this.label = label;
            this.meaning = meaning;
            this.remedy = remedy;
        }

        /** Whether the place is a row of a table, and not a file. */
        boolean isOfRow() {
            return this == ROW || this == MISSING_ROW || this == FOREIGN_ROW || this == FENCE;
        }

        /** The name that reports use. */
        public String label() {
            return label;
        }

        /** The meaning for the store. */
        public String meaning() {
            return meaning;
        }

        /** The remedy. */
        public String remedy() {
            return remedy;
        }
    }
}
