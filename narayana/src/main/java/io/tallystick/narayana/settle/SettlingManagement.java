package io.tallystick.narayana.settle;

import io.tallystick.store.ObjectStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.ObjectName;

/** The settling of transactions of an open store as an MXBean. */
public final class SettlingManagement implements InDoubtSettlingMXBean {
    private static final System.Logger LOG = System.getLogger(InDoubtSettling.class.getName());

    private final InDoubtSettling settling;
    private final ObjectName name;

    private SettlingManagement(InDoubtSettling settling, ObjectName name) {
        this.settling = settling;
        this.name = name;
    }

    /** Registers the settling, if it is switched on; the returned action unregisters it. */
    public static Runnable register(ObjectStore store) {
        return InDoubtSettling.switchedOn(store)
                .map(settling -> register(store, settling))
                .orElse(() -> {});
    }

    private static Runnable register(ObjectStore store, InDoubtSettling settling) {
        String place = store.description()
                .directory()
                .map(Path::toString)
                .orElse(store.description().store());
        try {
            SettlingManagement management = new SettlingManagement(
                    settling, new ObjectName("io.tallystick:type=InDoubtSettling,name=" + ObjectName.quote(place)));
            ManagementFactory.getPlatformMBeanServer().registerMBean(management, management.name);
            return management::unregister;
        } catch (JMException refused) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0423 the settling of transactions in doubt of " + place
                            + " could not be registered for management; the store works without that",
                    refused);
            return () -> {};
        }
    }

    private void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException refused) {
            LOG.log(System.Logger.Level.WARNING, "TALLY0424 " + name + " could not be unregistered", refused);
        }
    }

    @Override
    public String describe(String uid) {
        return plainly(() -> settling.describe(uid));
    }

    @Override
    public String retry(String reason, String who) {
        return plainly(() -> settling.retry(reason, who));
    }

    @Override
    public String forget(String uid, boolean branchesEnded, String reason, String who) {
        return plainly(() -> settling.forget(uid, branchesEnded, reason, who));
    }

    // A client need not have our classes to read the message.
    private static String plainly(Supplier<String> action) {
        try {
            return action.get();
        } catch (SettlingRefusedException refused) {
            IllegalStateException plain = new IllegalStateException(refused.getMessage());
            plain.setStackTrace(refused.getStackTrace());
            throw plain;
        }
    }
}
