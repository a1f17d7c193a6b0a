package io.tallystick.narayana.drain;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.ActionManager;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.store.ObjectId;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * The transactions of this process that have not ended. Narayana's own count leaves out every transaction that is
 * preparing, committing or rolling back, which is when its resources have prepared branches. So this counts the entries
 * of its table, which holds a transaction from its beginning to its end. Only reflection reaches the table.
 */
public final class ActiveActions {
    private ActiveActions() {}

    /** The number of active transactions; empty if the table cannot be read. */
    public static OptionalInt count() {
        return table().map(table -> OptionalInt.of(table.size())).orElse(OptionalInt.empty());
    }

    /** Narayana's table of all active transactions by their Uids, which changes; empty if it cannot be read. */
    static Optional<Map<?, ?>> table() {
        try {
            Field table = ActionManager.class.getDeclaredField("_allActions");
            table.setAccessible(true);
            return Optional.of((Map<?, ?>) table.get(ActionManager.manager()));
        } catch (ReflectiveOperationException | RuntimeException unreadable) {
            return Optional.empty();
        }
    }

    /** Tells whether a transaction with a Uid is active when it is asked; always no if the table cannot be read. */
    public static Predicate<ObjectId> openNow() {
        Map<?, ?> open = table().orElse(Map.of());
        return id -> id.length() == NarayanaUid.BYTES && open.containsKey(new Uid(id.toBytes()));
    }

    /** The number of active transactions, or Narayana's own count if the table cannot be read. */
    public static int atLeast() {
        return count().orElseGet(() -> ActionManager.manager().getNumberOfInflightTransactions());
    }
}
