package io.tallystick.narayana;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
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
 * Another process of this machine, called through its MXBeans. Only this class needs the module {@code jdk.attach}, so
 * that {@link DrainProcess} can report that it is missing.
 */
final class AttachedProcess {
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
