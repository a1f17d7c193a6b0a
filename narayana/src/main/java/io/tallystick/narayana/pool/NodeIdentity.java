package io.tallystick.narayana.pool;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import java.util.List;

/**
 * What Narayana's settings say about the node of this process.
 *
 * @param node the identifier in each branch; null where none is set
 * @param recoveryNodes whose branches recovery judges
 */
record NodeIdentity(String node, List<String> recoveryNodes) {
    static NodeIdentity of(String node) {
        return new NodeIdentity(node, List.of(node));
    }

    /** The identifier alone: filters of recovery abstain where no node is named. */
    static NodeIdentity thatJudgesNobody(String node) {
        return new NodeIdentity(node, List.of());
    }

    static NodeIdentity current() {
        return new NodeIdentity(
                arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier(),
                jtaPropertyManager.getJTAEnvironmentBean().getXaRecoveryNodes());
    }

    void apply() {
        if (node != null) {
            try {
                arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(node);
            } catch (CoreEnvironmentBeanException refused) {
                throw new IllegalArgumentException(refused.getMessage(), refused);
            }
        }
        jtaPropertyManager.getJTAEnvironmentBean().setXaRecoveryNodes(recoveryNodes);
    }
}
