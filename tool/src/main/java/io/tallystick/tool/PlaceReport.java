package io.tallystick.tool;

import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StorePlace;
import io.tallystick.storage.SystemDisk;
import java.util.List;
import java.util.Optional;

/** What {@code doctor} says about the place where a store was made. */
final class PlaceReport {
    private PlaceReport() {}

    /** Says nothing about a store that is where it was made. */
    static void of(
            StoreGlance store, boolean hasNodeId, JsonObject json, List<String> problems, List<String> warnings) {
        Optional<String> remark = StorePlace.remarkOn(
                new SystemDisk(), store.path(), store.identity().orElseThrow());
        if (remark.isEmpty()) {
            return;
        }
        json.add("placeRemark", remark.get());
        boolean isCopy = remark.get().startsWith("a copy");
        (isCopy && hasNodeId ? problems : warnings)
                .add("place of directory=" + store.path() + ": " + remark.get()
                        + (isCopy ? "; a node is refused there with TALLY0022: see 'tallystick accept-copy'" : ""));
    }
}
