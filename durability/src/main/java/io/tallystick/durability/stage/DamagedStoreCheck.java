package io.tallystick.durability.stage;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.disk.FileDamage;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;

/**
 * Opens a store on damaged files. The store must refuse to open, or to read the damaged key, or show exactly the states
 * from before the damage (I8). Every refusal must be a {@link StoreException} (I15).
 */
final class DamagedStoreCheck {
    private final ScratchStore scratchStore;

    DamagedStoreCheck(ScratchStore scratchStore) {
        this.scratchStore = scratchStore;
    }

    /** Opens the store and reads all its states. */
    void check(FileDamage damage, StoreContent before) throws IOException {
        check(damage, () -> {
            try (ObjectStore store = scratchStore.open()) {
                compare(before, store, "after opening");
            }
        });
    }

    /**
     * As {@link #check(FileDamage, StoreContent)}; then the store is used and opened again, and must still hold all
     * states.
     */
    void checkInUse(FileDamage damage, StoreContent before, StoreWorkload use) throws IOException {
        check(damage, () -> {
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

    private void check(FileDamage damage, Runnable look) throws IOException {
        scratchStore.replace(damage.files());
        try {
            look.run();
        } catch (CorruptStoreException noticed) {
            if (String.valueOf(noticed.getMessage()).isBlank()) {
                throw new AssertionError(
                        "I8 corruption violated: " + damage.description() + ": the refusal has no message");
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
