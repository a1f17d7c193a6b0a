package io.tallystick.tool.command;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.util.function.Predicate;

/** A key as a person gives it: as {@code list} prints it, an id alone, or one of Narayana's Uids. */
public final class GivenKey {
    private GivenKey() {}

    /**
     * The keys that are meant.
     *
     * @throws ToolException the text is no key, no id and no Uid
     */
    public static Predicate<StateKey> parse(String key) {
        try {
            if (key.startsWith("/")) {
                return StateKey.parse(Escaped.parse(key))::equals;
            }
            ObjectId id = NarayanaUid.parse(key, ':').orElseGet(() -> ObjectId.parse(key));
            return candidate -> candidate.id().equals(id);
        } catch (IllegalArgumentException noKey) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "'" + Escaped.of(key) + "' is no key, no id and no Uid (" + noKey.getMessage()
                            + "); 'tallystick list' prints the keys",
                    noKey);
        }
    }
}
