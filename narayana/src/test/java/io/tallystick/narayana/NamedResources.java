package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord;
import com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecordWrappingPlugin;
import javax.transaction.xa.XAResource;
import org.jboss.tm.XAResourceWrapper;

/**
 * Gives a log record the name of its resource, as the plugin of an application server does. By the name Narayana's
 * recovery knows that a resource has been asked and no longer has the branch: it was committed already.
 */
public final class NamedResources implements XAResourceRecordWrappingPlugin {
    /** Made by Narayana. */
    public NamedResources() {}

    @Override
    public void transcribeWrapperData(XAResourceRecord record) {
        if (record.value() instanceof XAResourceWrapper resource) {
            record.setProductName(resource.getProductName());
            record.setProductVersion(resource.getProductVersion());
            record.setJndiName(resource.getJndiName());
        }
    }

    @Override
    public Integer getEISName(XAResource resource) {
        return 0;
    }

    @Override
    public String getEISName(Integer eisKey) {
        return "unknown";
    }
}
