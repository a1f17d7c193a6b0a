package io.tallystick.testkit.contract;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes twenty states into a store, and ends without closing it: {@code .ci/wine} then looks at it with the tool. One
 * of their types has the name of a device of Windows.
 */
public final class StatesRun {
    private StatesRun() {}

    /** The directory, the store, and of a journal the engine and the way to the disk. */
    public static void main(String[] arguments) {
        StoreConfiguration.Builder builder =
                StoreConfiguration.builder().directory(Path.of(arguments[0])).store(arguments[1]);
        if (arguments.length > 2) {
            builder.set("tallystick.journal.engine", arguments[2]);
        }
        if (arguments.length > 3) {
            builder.set("tallystick.journal.io", arguments[3]);
        }
        ObjectStore store = ObjectStores.open(builder.build());
        for (int i = 0; i < 20; i++) {
            StateKey key = StateKey.of(i == 19 ? "/app/aux" : "/Shop/Order", ObjectId.parse(String.format("%04x", i)));
            store.write(key, ("state " + i).getBytes(StandardCharsets.UTF_8), Durability.FORCED);
        }
        Runtime.getRuntime().halt(0);
    }
}
