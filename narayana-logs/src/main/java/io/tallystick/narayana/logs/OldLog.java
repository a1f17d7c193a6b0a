package io.tallystick.narayana.logs;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A log of Narayana's own that holds transactions which no migration has taken along, or may hold some.
 *
 * @param description its kind and place, for people
 * @param directory what {@code tallystick migrate} is given for it
 * @param transactions records of transactions and of their participants that were found
 * @param unreadable why there may be others; empty if everything was read
 */
public record OldLog(String description, Path directory, int transactions, Optional<String> unreadable) {
    public OldLog {
        Objects.requireNonNull(description);
        Objects.requireNonNull(directory);
        Objects.requireNonNull(unreadable);
    }

    /** One sentence without its full stop. */
    @Override
    public String toString() {
        return (unreadable.isEmpty()
                        ? transactions + (transactions == 1 ? " transaction lies" : " transactions lie")
                        : "transactions may lie")
                + " in " + description
                + unreadable
                        .map(why -> ", which cannot be read as a whole (" + why + ")")
                        .orElse("");
    }
}
