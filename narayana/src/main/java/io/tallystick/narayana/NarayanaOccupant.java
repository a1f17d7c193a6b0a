package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The stores that Narayana's {@code StoreManager} has, for a message. Its methods would make one where there is none,
 * so its fields are read.
 */
final class NarayanaOccupant {
    private static final String LOG = "actionStore";
    // Two of the fields have the name of the bean that Narayana takes the role's settings from. The log's bean has
    // none.
    private static final List<String> FIELDS = List.of(LOG, "stateStore", "communicationStore");

    private NarayanaOccupant() {}

    /** Each role that has a store, with its class and place; empty where no role has one or it cannot be read. */
    static Optional<String> find() {
        Map<String, String> found = new LinkedHashMap<>();
        FIELDS.forEach(field -> storeIn(field)
                .ifPresent(store -> found.put(field, described(store, field.equals(LOG) ? null : field))));
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(found.entrySet().stream()
                        .map(role -> role.getKey() + "=" + role.getValue())
                        .collect(Collectors.joining(", ")));
    }

    private static Optional<ObjectStoreAPI> storeIn(String name) {
        try {
            Field field = StoreManager.class.getDeclaredField(name);
            field.setAccessible(true);
            return Optional.ofNullable((ObjectStoreAPI) field.get(null));
        } catch (ReflectiveOperationException | RuntimeException otherVersion) {
            return Optional.empty();
        }
    }

    private static String described(ObjectStoreAPI store, String bean) {
        String place = store instanceof TallystickObjectStore ours
                ? ours.openStore().map(open -> open.description().toString()).orElse("not open")
                : "store name " + store.getStoreName() + ", objectStoreDir "
                        + BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, bean)
                                .getObjectStoreDir();
        return store.getClass().getName() + " (" + place + ")";
    }
}
