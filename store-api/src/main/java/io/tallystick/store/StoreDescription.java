package io.tallystick.store;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The kind of a store, its engine, its way to the disk and where its log is, in the words of the configuration keys.
 *
 * @param store {@code inmemory}, {@code file} or {@code journal}, or the name of another provider's store
 * @param engine the journal's engine; empty for other stores
 * @param io the way of the bytes to the disk, such as {@code channel}; empty in memory
 * @param directory the directory of the store; empty in memory and for a log that is not in a directory
 * @param place where the log is, for people: the directory, or the database with what tells its logs apart; without a
 *     password; empty in memory
 * @param remark a few words for people to read, such as how long a write takes; may be empty
 * @param details the reasons for this choice, for people who ask; may be empty
 */
public record StoreDescription(
        String store,
        Optional<String> engine,
        Optional<String> io,
        Optional<Path> directory,
        String place,
        String remark,
        String details) {
    public StoreDescription {
        Objects.requireNonNull(store);
        Objects.requireNonNull(engine);
        Objects.requireNonNull(io);
        Objects.requireNonNull(directory);
        Objects.requireNonNull(place);
        Objects.requireNonNull(remark);
        Objects.requireNonNull(details);
    }

    /** A store whose place is its directory, or that has none. */
    public StoreDescription(
            String store,
            Optional<String> engine,
            Optional<String> io,
            Optional<Path> directory,
            String remark,
            String details) {
        this(store, engine, io, directory, directory.map(Path::toString).orElse(""), remark, details);
    }

    /** The same without details. */
    public StoreDescription(
            String store, Optional<String> engine, Optional<String> io, Optional<Path> directory, String remark) {
        this(store, engine, io, directory, remark, "");
    }

    /**
     * One line without the details, such as {@code journal engine=artemis io=channel directory=/var/lib/tx} or
     * {@code postgresql place="postgresql://db/tx schema=tallystick node=n1"}.
     */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(store);
        engine.ifPresent(value -> line.append(" engine=").append(value));
        io.ifPresent(value -> line.append(" io=").append(value));
        directory.ifPresent(value -> line.append(" directory=").append(value));
        if (directory.isEmpty() && !place.isEmpty()) {
            line.append(" place=\"").append(place).append('"');
        }
        if (!remark.isEmpty()) {
            line.append(" (").append(remark).append(')');
        }
        return line.toString();
    }
}
