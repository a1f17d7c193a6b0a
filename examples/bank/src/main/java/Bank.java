import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import jakarta.transaction.TransactionManager;
import javax.transaction.xa.XAResource;

/** Two accounts in two files. A transfer changes both, or none. */
public class Bank {
    static final Account ALICE = new Account("alice", 100);
    static final Account BOB = new Account("bob", 0);

    public static void main(String[] words) throws Exception {
        StoreManager.getRecoveryStore(); // opens the log, or says why not
        recover();
        if (words.length > 1 && words[0].equals("transfer")) {
            Account.pauses = words.length > 2 && words[2].equals("pause");
            transfer(Integer.parseInt(words[1]));
        }
        int alice = ALICE.balance();
        int bob = BOB.balance();
        System.out.println("alice " + alice + ", bob " + bob + ", together " + (alice + bob));
        StoreManager.shutdown(); // closes the log
        System.exit(0);
    }

    static void transfer(int amount) throws Exception {
        TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        manager.begin();
        manager.getTransaction().enlistResource(ALICE.changedBy(-amount));
        manager.getTransaction().enlistResource(BOB.changedBy(amount));
        manager.commit();
    }

    /** What an application does when it starts: finish what the last process has left unfinished. */
    static void recover() {
        RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        recovery.initialize();
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String unused) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() {
                return new XAResource[] {ALICE, BOB};
            }
        });
        recovery.scan();
    }
}
