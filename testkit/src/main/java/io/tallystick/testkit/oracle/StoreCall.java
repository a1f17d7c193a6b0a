package io.tallystick.testkit.oracle;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.States;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** One call of each method of a store, for claims about all of them. */
public record StoreCall(String name, Consumer<ObjectStore> call) {
    /** A call of each method, forced and deferred, except those that tell of the store and never throw. */
    public static List<StoreCall> all(StateKey key) {
        byte[] state = States.of("state of a call");
        return List.of(
                new StoreCall("write FORCED", store -> store.write(key, state, Durability.FORCED)),
                new StoreCall("write DEFERRED", store -> store.write(key, state, Durability.DEFERRED)),
                new StoreCall("writeAsync", store -> await(store.writeAsync(key, state))),
                new StoreCall("read", store -> store.read(key)),
                new StoreCall("statusOf", store -> store.statusOf(key)),
                new StoreCall("types", ObjectStore::types),
                new StoreCall("keys", store -> store.keys(key.type())),
                new StoreCall("keys LIMITED", store -> store.keys(key.type(), 1)),
                new StoreCall("countByType", ObjectStore::countByType),
                new StoreCall("hide", store -> store.hide(key)),
                new StoreCall("reveal", store -> store.reveal(key)),
                new StoreCall("writeShadow FORCED", store -> store.writeShadow(key, state, Durability.FORCED)),
                new StoreCall("writeShadow DEFERRED", store -> store.writeShadow(key, state, Durability.DEFERRED)),
                new StoreCall("readShadow", store -> store.readShadow(key)),
                new StoreCall("commitShadow FORCED", store -> store.commitShadow(key, Durability.FORCED)),
                new StoreCall("commitShadow DEFERRED", store -> store.commitShadow(key, Durability.DEFERRED)),
                new StoreCall("discardShadow FORCED", store -> store.discardShadow(key, Durability.FORCED)),
                new StoreCall("discardShadow DEFERRED", store -> store.discardShadow(key, Durability.DEFERRED)),
                new StoreCall("remove FORCED", store -> store.remove(key, Durability.FORCED)),
                new StoreCall("remove DEFERRED", store -> store.remove(key, Durability.DEFERRED)),
                new StoreCall("force", ObjectStore::force),
                new StoreCall("proveOwned", ObjectStore::proveOwned),
                new StoreCall("failure", ObjectStore::failure));
    }

    /** Waits for the stage and throws the exception that it completed with. */
    public static void await(CompletionStage<Void> stage) {
        try {
            stage.toCompletableFuture().join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        }
    }
}
