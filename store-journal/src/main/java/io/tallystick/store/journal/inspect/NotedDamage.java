package io.tallystick.store.journal.inspect;

import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.spi.Damage;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** The damage that an inspection has met, in the order of the finds; each place and reason once. */
final class NotedDamage implements DamageListener {
    private final Set<Damage> noted = new LinkedHashSet<>();

    @Override
    public void damaged(Path file, long offset, Damage.Kind kind, String reason) {
        noted.add(Damage.of(file, offset, kind, reason));
    }

    void add(Damage damage) {
        noted.add(damage);
    }

    void clear() {
        noted.clear();
    }

    Set<Damage> all() {
        return noted;
    }
}
