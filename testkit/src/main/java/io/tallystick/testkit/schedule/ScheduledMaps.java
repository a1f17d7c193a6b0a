package io.tallystick.testkit.schedule;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Map methods that run a function under a lock of the map. Each is one step, because the schedule does not see that
 * lock.
 */
public final class ScheduledMaps {
    private ScheduledMaps() {}

    /** As {@link ConcurrentHashMap#compute}. */
    public static <K, V> V compute(
            ConcurrentHashMap<K, V> map, K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return Schedule.atomically(() -> map.compute(key, function));
    }

    /** As {@link ConcurrentHashMap#computeIfAbsent}. */
    public static <K, V> V computeIfAbsent(
            ConcurrentHashMap<K, V> map, K key, Function<? super K, ? extends V> function) {
        return Schedule.atomically(() -> map.computeIfAbsent(key, function));
    }

    /** As {@link ConcurrentHashMap#computeIfPresent}. */
    public static <K, V> V computeIfPresent(
            ConcurrentHashMap<K, V> map, K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return Schedule.atomically(() -> map.computeIfPresent(key, function));
    }

    /** As {@link ConcurrentHashMap#merge}. */
    public static <K, V> V merge(
            ConcurrentHashMap<K, V> map, K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        return Schedule.atomically(() -> map.merge(key, value, function));
    }
}
