package io.tallystick.durability.stage;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.disk.FileDamage;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;

/**
 * Opens a store on damaged files. It must refuse, or refuse to show the key that is concerned, or show exactly what it
 * showed before, because what was damaged is not in use (I8); and whatever it refuses with is a {@link StoreException}
 * (I15).
 */
final class DamageJudge {
    private final ScratchStore scratchStore;

    DamageJudge(ScratchStore scratchStore) {
        this.scratchStore = scratchStore;
    }

    /** Opens it and looks at all there is. */
    void judge(FileDamage damage, StoreContent before) throws IOException {
        judge(damage, () -> {
            try (ObjectStore store = scratchStore.open()) {
                compare(before, store, "after opening");
            }
        });
    }

    /**
     * As {@link #judge(FileDamage, StoreContent)}; then the store is used and opened again, and must not have
     * forgotten.
     */
    void judgeInUse(FileDamage damage, StoreContent before, StoreWorkload use) throws IOException {
        judge(damage, () -> {
            StoreContent used;
            try (ObjectStore store = scratchStore.open()) {
                compare(before, store, "after opening");
                use.run(store);
                used = StoreContent.of(store);
            }
            try (ObjectStore store = scratchStore.open()) {
                compare(used, store, "after it was used and opened again");
            }
        });
    }

    private void judge(FileDamage damage, Runnable look) throws IOException {
        scratchStore.replace(damage.files());
        try {
            look.run();
        } catch (CorruptStoreException noticed) {
            if (String.valueOf(noticed.getMessage()).isBlank()) {
                throw new AssertionError("I8 corruption violated: " + damage.description() + ": it says nothing");
            }
        } catch (StoreException refused) {
            // a refusal
        } catch (AssertionError violated) {
            throw new AssertionError("damage: " + damage.description() + ": " + violated.getMessage(), violated);
        } catch (RuntimeException escaped) {
            throw new AssertionError(
                    "damage: " + damage.description() + ": I15 safe input violated: threw " + escaped, escaped);
        }
    }

    private static void compare(StoreContent before, ObjectStore store, String when) {
        before.differenceTo(StoreContent.of(store)).ifPresent(difference -> {
            throw new AssertionError("I8 corruption violated: damage went unnoticed " + when + ": " + difference);
        });
    }
}
