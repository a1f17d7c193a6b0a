package io.tallystick.narayana.management;

import io.tallystick.store.ObjectStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * An MXBean of an open store, {@code io.tallystick:type=TYPE,name="<directory>"}. A store that lies in no directory is
 * named by its kind and place.
 *
 * @param type the type in the bean's name
 * @param subject what the bean shows, in an error: "the drain"
 * @param notRegistered the number of that error: "TALLY0405"
 * @param notUnregistered the number of the error that it stays registered
 * @param log where both are written
 */
public record StoreBean(String type, String subject, String notRegistered, String notUnregistered, System.Logger log) {
    /** Registers the bean of this store; the returned action unregisters it. The store works without that. */
    public Runnable register(Object bean, ObjectStore store) {
        String place = store.description()
                .directory()
                .map(Path::toString)
                .orElse(store.description().store());
        try {
            ObjectName name = new ObjectName("io.tallystick:type=" + type + ",name=" + ObjectName.quote(place));
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
            return () -> unregister(name);
        } catch (JMException refused) {
            log.log(
                    System.Logger.Level.WARNING,
                    notRegistered + " " + subject + " of " + place
                            + " could not be registered for management; the store works without that",
                    refused);
            return () -> {};
        }
    }

    private void unregister(ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException refused) {
            log.log(System.Logger.Level.WARNING, notUnregistered + " " + name + " could not be unregistered", refused);
        }
    }
}
