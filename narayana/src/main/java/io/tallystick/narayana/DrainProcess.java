package io.tallystick.narayana;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A command that drains another process of this machine through its MXBean, for a container's preStop hook:
 *
 * <pre>java -cp '/app/lib/*' io.tallystick.narayana.DrainProcess 1 120</pre>
 *
 * <p>drains the process with id 1 and waits 120 seconds at most. That process must have {@code tallystick.jmx=true}
 * and belong to the same user; this one needs a JDK with the module {@code jdk.attach}. From a jar of Spring Boot's:
 *
 * <pre>java -Dloader.main=io.tallystick.narayana.DrainProcess -cp /app/app.jar \
 *     org.springframework.boot.loader.launch.PropertiesLauncher 1 120</pre>
 *
 * <p>Its exit status is one of these:
 *
 * <ul>
 *   <li>0: it is proven that no record is left.
 *   <li>2: the arguments are wrong.
 *   <li>3: the process cannot be asked.
 *   <li>4: a transaction or a record is left.
 *   <li>5: the log is empty, but a resource may hold a prepared branch.
 * </ul>
 *
 * <p>It never ends with 1, because {@code java} ends with 1 if it cannot find this class.
 */
public final class DrainProcess {
    static final int DRAINED = 0;
    static final int MISUSED = 2;
    static final int UNREACHABLE = 3;
    static final int NOT_DRAINED = 4;
    static final int UNPROVEN = 5;

    private static final System.Logger LOG = System.getLogger(DrainProcess.class.getName());

    private DrainProcess() {}

    /** Drains the process whose id is the first argument. It waits at most for the seconds of the second argument. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        if (arguments.length != 2 || !arguments[0].matches("\\d{1,10}") || !arguments[1].matches("\\d{1,6}")) {
            LOG.log(Level.ERROR, "TALLY0407 usage: DrainProcess <process id> <seconds>");
            return MISUSED;
        }
        try {
            return statusOf(AttachedProcess.drain(arguments[0], Integer.parseInt(arguments[1])));
        } catch (IOException | RuntimeException | LinkageError unreachable) {
            // LinkageError: this JDK has no jdk.attach, or the class path is incomplete.
            LOG.log(
                    Level.ERROR,
                    "TALLY0408 process " + arguments[0]
                            + " cannot be asked to drain; check its id and its user. It needs tallystick.jmx=true and"
                            + " an open store, this java must be a JDK with the module jdk.attach, and both must be"
                            + " able to make files in the same /tmp",
                    unreachable);
            return UNREACHABLE;
        }
    }

    /** Logs the answer of each store by its name, and returns the worst status. */
    private static int statusOf(Map<String, String> answers) {
        int worst = DRAINED;
        for (Map.Entry<String, String> answer : new TreeMap<>(answers).entrySet()) {
            int status = statusOf(answer.getValue());
            LOG.log(
                    status == DRAINED ? Level.INFO : Level.WARNING,
                    "TALLY0409 " + answer.getKey() + ": " + answer.getValue());
            if (worst != NOT_DRAINED && status != DRAINED) {
                worst = status;
            }
        }
        return worst;
    }

    private static int statusOf(String answer) {
        if (answer.startsWith("drained")) {
            return DRAINED;
        }
        return answer.startsWith("unproven") ? UNPROVEN : NOT_DRAINED;
    }

    /**
     * Another process of this machine, called through its MXBeans. Only this class needs the module {@code
     * jdk.attach}, so that the command can report that it is missing.
     */
    private static final class AttachedProcess {
        private AttachedProcess() {}

        /**
         * Drains the stores of the process one after the other, and answers the reports by the names of the MXBeans.
         *
         * @throws IOException the process cannot be asked, or has no store with a drain
         */
        static Map<String, String> drain(String processId, int seconds) throws IOException {
            try {
                VirtualMachine process = VirtualMachine.attach(processId);
                try (JMXConnector connector =
                        JMXConnectorFactory.connect(new JMXServiceURL(process.startLocalManagementAgent()))) {
                    return drain(connector.getMBeanServerConnection(), seconds);
                } finally {
                    process.detach();
                }
            } catch (AttachNotSupportedException | JMException refused) {
                throw new IOException(refused);
            }
        }

        private static Map<String, String> drain(MBeanServerConnection server, int seconds)
                throws IOException, JMException {
            Map<String, String> reports = new TreeMap<>();
            for (ObjectName name : server.queryNames(new ObjectName("io.tallystick:type=TransactionDrain,*"), null)) {
                reports.put(
                        name.toString(),
                        JMX.newMXBeanProxy(server, name, TransactionDrainMXBean.class)
                                .drain(seconds));
            }
            if (reports.isEmpty()) {
                throw new IOException("it has no open store with a drain");
            }
            return reports;
        }
    }
}
