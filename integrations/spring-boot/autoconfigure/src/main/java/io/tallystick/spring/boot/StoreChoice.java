package io.tallystick.spring.boot;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore;
import com.arjuna.ats.internal.arjuna.objectstore.TwoPhaseVolatileStore;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.NarayanaStores.Role;
import io.tallystick.narayana.TallystickObjectStore;
import java.util.EnumSet;
import java.util.Set;

/** The roles in which the store is installed, after what Narayana's own settings say of its stores. */
final class StoreChoice {
    // What Narayana has where nobody has chosen, and what a user had to name before there was this starter.
    private static final Set<String> NO_OTHER =
            Set.of(ShadowNoFileLockStore.class.getName(), TallystickObjectStore.class.getName());

    private StoreChoice() {}

    /**
     * All roles, or all but the states of objects where Narayana's STM has its own store for them.
     *
     * @throws StartRefusedException Narayana's settings name a store of their own
     */
    static Set<Role> roles() {
        check(null);
        check("communicationStore");
        if (classOf("stateStore").equals(TwoPhaseVolatileStore.class.getName())) {
            return EnumSet.of(Role.LOG, Role.MESSAGES);
        }
        check("stateStore");
        return EnumSet.allOf(Role.class);
    }

    private static void check(String role) {
        String type = classOf(role);
        if (!NO_OTHER.contains(type)) {
            String reason = "TALLY0704 two stores are configured for Narayana: this starter, and the class " + type
                    + " as ObjectStoreEnvironmentBean." + (role == null ? "" : role + ".") + "objectStoreType";
            throw new StartRefusedException(
                    reason,
                    "Remove that setting, from the system properties or from Narayana's properties file. If its store"
                            + " holds transactions, finish them with it first, or move them with `tallystick migrate`."
                            + " To go on with that store, set tallystick.enabled=false.",
                    new IllegalArgumentException(reason));
        }
    }

    private static String classOf(String role) {
        return BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, role)
                .getObjectStoreType();
    }
}
