package io.tallystick.narayana.drain;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.ActionManager;
import com.arjuna.ats.arjuna.coordinator.BasicAction;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The transaction of this process that has been open for the longest time, also one without a time limit, which no
 * reaper sees. Narayana does not remember when a transaction began. So the age counts from the first look that saw it:
 * look regularly. May be used by any number of threads.
 */
public final class OpenTransactions {
    private final LongSupplier nanoTime;
    // In the order in which they were seen first; guarded by this.
    private final Map<Uid, Long> firstSeenNanos = new LinkedHashMap<>();

    /** @param nanoTime monotonic time, nanoseconds */
    public OpenTransactions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * An open transaction.
     *
     * @param uid as Narayana prints it
     * @param age since it was seen first
     * @param threads the names of the threads that it is associated with; empty if it is suspended, or if that cannot
     *     be read
     */
    public record Oldest(String uid, Duration age, List<String> threads) {
        /** Such as {@code age=PT6H uid=0:ffff... threads=[http-7]}. */
        @Override
        public String toString() {
            return "age=" + age + " uid=" + uid + " threads=" + threads;
        }
    }

    /** Looks; empty if no transaction is open, or if Narayana's table cannot be read. */
    public synchronized Optional<Oldest> oldest() {
        long now = nanoTime.getAsLong();
        Map<?, ?> open = ActiveActions.table().orElse(Map.of());
        firstSeenNanos.keySet().removeIf(uid -> !open.containsKey(uid));
        for (Object each : open.keySet()) {
            if (each instanceof Uid uid) {
                firstSeenNanos.putIfAbsent(uid, now);
            }
        }
        return firstSeenNanos.entrySet().stream()
                .findFirst()
                .map(first -> new Oldest(
                        first.getKey().toString(), Duration.ofNanos(now - first.getValue()), threads(first.getKey())));
    }

    private static List<String> threads(Uid uid) {
        BasicAction action = ActionManager.manager().get(uid);
        if (action == null) {
            return List.of();
        }
        try {
            Field threads = BasicAction.class.getDeclaredField("_childThreads");
            threads.setAccessible(true);
            return threads.get(action) instanceof Map<?, ?> known
                    ? copied(known).stream()
                            .filter(Thread.class::isInstance)
                            .map(thread -> ((Thread) thread).getName())
                            .sorted()
                            .toList()
                    : List.of();
        } catch (ReflectiveOperationException | InaccessibleObjectException unreadable) {
            return List.of();
        }
    }

    // A Hashtable, to which threads are added while the transaction lives: only its lock keeps them off.
    private static List<Object> copied(Map<?, ?> table) {
        synchronized (table) {
            return new ArrayList<>(table.values());
        }
    }
}
