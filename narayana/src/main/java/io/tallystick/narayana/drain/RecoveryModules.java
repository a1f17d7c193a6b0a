package io.tallystick.narayana.drain;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import java.lang.reflect.Field;
import java.util.List;

/**
 * The modules of this process' recovery manager. Narayana makes a manager if it is asked for one and there is none,
 * and then refuses to make one with threads. Only reflection tells whether there is one.
 */
public final class RecoveryModules {
    private RecoveryModules() {}

    /** Those of the manager; none if there is no manager. If that cannot be found out, the manager is made. */
    public static List<RecoveryModule> present() {
        try {
            Field manager = RecoveryManager.class.getDeclaredField("_recoveryManager");
            manager.setAccessible(true);
            return manager.get(null) instanceof RecoveryManager found ? List.copyOf(found.getModules()) : List.of();
        } catch (ReflectiveOperationException | RuntimeException unreadable) { // as in a native image
            return List.copyOf(NarayanaScan.manager().getModules());
        }
    }
}
