package io.tallystick.spring.boot;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import com.arjuna.ats.internal.jta.transaction.arjunacore.UserTransactionImple;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.narayana.TallystickTransactionManager;
import io.tallystick.narayana.TallystickUserTransaction;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;

/**
 * Our reaper in the place of Narayana's, for the life of an application context. Narayana makes its transaction
 * managers by class names, which know no context, so they are handed over as objects.
 */
final class ReaperInstallation implements AutoCloseable {
    private final TransactionReaper reaper;
    private final TallystickTransactionManager manager;
    private final TallystickUserTransaction user;

    private ReaperInstallation(TransactionReaper reaper) {
        this.reaper = reaper;
        this.manager = new TallystickTransactionManager(reaper);
        this.user = new TallystickUserTransaction(reaper);
    }

    static ReaperInstallation install(ReaperOptions options) {
        ReaperInstallation installation = new ReaperInstallation(TransactionReaper.open(options));
        narayana().setTransactionManager(installation.manager);
        narayana().setUserTransaction(installation.user);
        return installation;
    }

    TransactionReaper reaper() {
        return reaper;
    }

    /** Gives Narayana its own back, unless another context has installed a reaper since, and closes the reaper. */
    @Override
    public void close() {
        if (narayana().getTransactionManager() == manager) {
            narayana().setTransactionManager(new TransactionManagerImple());
        }
        if (narayana().getUserTransaction() == user) {
            narayana().setUserTransaction(new UserTransactionImple());
        }
        reaper.close();
    }

    private static JTAEnvironmentBean narayana() {
        return jtaPropertyManager.getJTAEnvironmentBean();
    }
}
