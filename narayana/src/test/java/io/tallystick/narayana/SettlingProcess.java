package io.tallystick.narayana;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import io.tallystick.store.StoreConfiguration;
import java.lang.management.ManagementFactory;
import javax.management.MBeanException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;

/** A process of an application, whose transactions a management client settles: an operation and its arguments. */
final class SettlingProcess {
    /** What stands before the number of MXBeans for settling. */
    static final String BEANS = "beans for settling: ";

    /** What stands before the answer of an operation. */
    static final String ANSWER = "answer: ";

    private SettlingProcess() {}

    public static void main(String[] arguments) throws Exception {
        try (NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment())) {
            RecoveryManager manager = RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
            manager.initialize();
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            ObjectName settling = new ObjectName("io.tallystick:type=InDoubtSettling,*");
            System.out.println(BEANS + beans.queryNames(settling, null).size());
            for (ObjectName name : beans.queryNames(settling, null)) {
                System.out.println(ANSWER + answer(beans, name, arguments));
            }
            System.out.println(
                    "in doubt: " + stores.inDoubt().lookNow().orElseThrow().countByState());
            manager.terminate(true);
        }
        System.exit(0);
    }

    private static String answer(MBeanServer beans, ObjectName name, String... arguments) throws Exception {
        boolean isForget = arguments[0].equals("forget");
        Object[] values = isForget
                ? new Object[] {arguments[1], true, arguments[2], arguments[3]}
                : new Object[] {arguments[1], arguments[2]};
        String text = String.class.getName();
        String[] types = isForget ? new String[] {text, "boolean", text, text} : new String[] {text, text};
        try {
            return (String) beans.invoke(name, arguments[0], values, types);
        } catch (RuntimeMBeanException refused) {
            return refused.getTargetException().getClass().getName() + ": "
                    + refused.getTargetException().getMessage();
        } catch (MBeanException failed) {
            return "failed: " + failed;
        }
    }
}
