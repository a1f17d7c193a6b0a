package io.tallystick.narayana;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Set;
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
 * <pre>java -cp '/app/lib/*' io.tallystick.narayana.DrainProcess 1 50</pre>
 *
 * <p>drains the process with id 1 and waits 50 seconds at most. That process must have {@code tallystick.jmx=true} and belong
 * to the same user; this one needs a JDK with the module {@code jdk.attach}. It ends with status 0 if nothing is left, 1 if
 * something is, 2 if the arguments are wrong, 3 if the process cannot be asked.
 */
public final class DrainProcess {
    static final int DRAINED = 0;
    static final int NOT_DRAINED = 1;
    static final int MISUSED = 2;
    static final int UNREACHABLE = 3;

    private static final System.Logger LOG = System.getLogger(DrainProcess.class.getName());

    private DrainProcess() {}

    /** Drains the process whose id is the first argument, waiting as many seconds as the second says. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        if (arguments.length != 2 || !arguments[0].matches("\\d{1,10}") || !arguments[1].matches("\\d{1,6}")) {
            LOG.log(Level.ERROR, "TALLY0407 usage: DrainProcess <process id> <seconds>");
            return MISUSED;
        }
        try {
            return drain(arguments[0], Integer.parseInt(arguments[1]));
        } catch (IOException | AttachNotSupportedException | JMException unreachable) {
            LOG.log(
                    Level.ERROR,
                    "TALLY0408 process " + arguments[0] + " cannot be asked to drain; check its id, that it is this"
                            + " user's, and that it has tallystick.jmx=true",
                    unreachable);
            return UNREACHABLE;
        }
    }

    private static int drain(String processId, int seconds)
            throws IOException, AttachNotSupportedException, JMException {
        VirtualMachine process = VirtualMachine.attach(processId);
        try (JMXConnector connector =
                JMXConnectorFactory.connect(new JMXServiceURL(process.startLocalManagementAgent()))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            Set<ObjectName> drains = server.queryNames(new ObjectName("io.tallystick:type=TransactionDrain,*"), null);
            if (drains.isEmpty()) {
                throw new IOException("it has no open store with a drain");
            }
            int status = DRAINED;
            for (ObjectName name : drains) {
                String report = JMX.newMXBeanProxy(server, name, TransactionDrainMXBean.class)
                        .drain(seconds);
                boolean isDrained = report.startsWith("drained");
                LOG.log(isDrained ? Level.INFO : Level.WARNING, "TALLY0409 " + name + ": " + report);
                status = isDrained ? status : NOT_DRAINED;
            }
            return status;
        } finally {
            process.detach();
        }
    }
}
