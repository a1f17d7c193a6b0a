package io.tallystick.narayana.doubt;

import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.store.ObjectStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;

/** The transactions in doubt of an open store as an MXBean. */
public final class InDoubtManagement implements InDoubtMXBean {
    private static final System.Logger LOG = System.getLogger(InDoubtLook.class.getName());

    private final InDoubtLook look;
    private final ObjectName name;

    private InDoubtManagement(InDoubtLook look, ObjectName name) {
        this.look = look;
        this.name = name;
    }

    /** Registers a look at the store; the returned action unregisters it. */
    public static Runnable register(ObjectStore store, InDoubtLook look) {
        String place = store.description()
                .directory()
                .map(Path::toString)
                .orElse(store.description().store());
        try {
            InDoubtManagement management = new InDoubtManagement(
                    look, new ObjectName("io.tallystick:type=InDoubt,name=" + ObjectName.quote(place)));
            ManagementFactory.getPlatformMBeanServer().registerMBean(management, management.name);
            return management::unregister;
        } catch (JMException refused) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0423 the transactions in doubt of " + place
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

    private InDoubtReport report() {
        return look.look().orElse(InDoubtReport.EMPTY);
    }

    @Override
    public Map<String, Integer> getCountByState() {
        return report().countByLabel();
    }

    @Override
    public long getUnseen() {
        return look.look().map(InDoubtReport::unseen).orElse(-1L);
    }

    @Override
    public long getOldestSeconds() {
        return report().oldestAge().map(age -> age.toSeconds()).orElse(-1L);
    }

    @Override
    public long getOldestOpenSeconds() {
        return report().oldestOpen().map(open -> open.age().toSeconds()).orElse(-1L);
    }

    @Override
    public String getOldestOpen() {
        return report().oldestOpen()
                .map(open ->
                        "uid=" + open.uid() + " ageSeconds=" + open.age().toSeconds() + " threads=" + open.threads())
                .orElse("");
    }

    @Override
    public List<String> list(int limit) {
        return report().transactions().stream()
                .limit(Math.max(0, limit))
                .map(InDoubtTransaction::toString)
                .toList();
    }

    @Override
    public String show(String uid) {
        return look.lookNow()
                .flatMap(report -> report.find(uid))
                .map(InDoubtTransaction::toString)
                .orElse("");
    }
}
