package io.tallystick.store;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * What runs where, in the words of the configuration keys.
 *
 * @param store {@code inmemory}, {@code file} or {@code journal}, or the name of a store of somebody else's
 * @param engine the journal's engine; empty for other stores
 * @param io how bytes reach the disk, such as {@code channel}; empty in memory
 * @param directory where; empty in memory
 * @param remark why this and nothing better, for people to read; may be empty
 */
public record StoreDescription(
        String store, Optional<String> engine, Optional<String> io, Optional<Path> directory, String remark) {
    public StoreDescription {
        Objects.requireNonNull(store);
        Objects.requireNonNull(engine);
        Objects.requireNonNull(io);
        Objects.requireNonNull(directory);
        Objects.requireNonNull(remark);
    }

    /** One line, such as {@code journal engine=artemis io=channel directory=/var/lib/tx}. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(store);
        engine.ifPresent(value -> line.append(" engine=").append(value));
        io.ifPresent(value -> line.append(" io=").append(value));
        directory.ifPresent(value -> line.append(" directory=").append(value));
        if (!remark.isEmpty()) {
            line.append(" (").append(remark).append(')');
        }
        return line.toString();
    }
}
