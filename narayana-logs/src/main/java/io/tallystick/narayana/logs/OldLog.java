package io.tallystick.narayana.logs;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A log of Narayana's own that holds transactions which no migration has taken along to this store, or may hold some.
 *
 * @param description its kind and place, for people
 * @param directory what {@code tallystick migrate} is given for it
 * @param transactions records of transactions and of their participants that were found
 * @param unreadable why there may be others; empty if everything was read
 * @param takenTo the place of another store, to which a migration has taken some of them along; empty if there was none
 * @param isOfKnownForm whether {@code tallystick migrate} reads logs of its kind
 */
public record OldLog(
        String description,
        Path directory,
        int transactions,
        Optional<String> unreadable,
        Optional<String> takenTo,
        boolean isOfKnownForm) {
    public OldLog {
        Objects.requireNonNull(description);
        Objects.requireNonNull(directory);
        Objects.requireNonNull(unreadable);
        Objects.requireNonNull(takenTo);
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
                        .orElse("")
                + takenTo.map(place -> ", which was migrated to another store, " + place)
                        .orElse("");
    }
}
