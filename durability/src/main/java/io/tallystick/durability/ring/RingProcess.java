package io.tallystick.durability.ring;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.LogLevels;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import javax.transaction.xa.XAResource;

/**
 * A process with Narayana and three accounts. It recovers and prints the number of records left in the log. When it is
 * told to go on, several threads move amounts between the accounts, until it is killed.
 */
final class RingProcess {
    static final List<String> ACCOUNTS = List.of("a", "b", "c");

    /** The first words of the lines that it prints; the rest of the line follows a blank. */
    static final String RECOVERED = "recovered";

    static final String COMMITTED = "committed";
    static final String WAITING = "waiting";
    static final String BROKEN = "broken";

    private static final int THREADS = 4;
    private static final int SCANS = 3;

    private final PrintStream out;
    private final Path accounts;
    private volatile String phase;
    private volatile int times;
    private final Map<String, Integer> steps = new ConcurrentHashMap<>();

    private RingProcess(PrintStream out, Path accounts, String phase, int times) {
        this.out = out;
        this.accounts = accounts;
        this.phase = phase;
        this.times = times;
    }

    /** The system properties that it needs. */
    static Map<String, String> properties(Path directory) {
        return Map.of(
                "JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName",
                RingNames.class.getName(),
                // A branch without a log record is rolled back by the first scan instead of after 20 seconds.
                "JTAEnvironmentBean.orphanSafetyInterval",
                "0",
                "RecoveryEnvironmentBean.recoveryBackoffPeriod",
                "1",
                "ObjectStoreEnvironmentBean.objectStoreDir",
                directory.resolve("others").toString());
    }

    /**
     * Arguments: subject, directory, the step of recovery at which it stops to be killed, and the occurrence of that
     * step. Standard input gives the step and the occurrence for the transactions afterwards.
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        LogLevels.silence();
        Path directory = Path.of(arguments[1]);
        Subject subject = SubjectCatalog.named(List.of(arguments[0])).get(0);
        ObjectStoreAPI store = subject.openForNarayana(directory.resolve("store"));
        store.start();
        new StoreManager(store, store, store);
        RingProcess process =
                new RingProcess(out, directory.resolve("accounts"), arguments[2], Integer.parseInt(arguments[3]));
        process.say(RECOVERED, String.valueOf(process.recover(store)));
        String next = new BufferedReader(new InputStreamReader(System.in)).readLine();
        if (next == null) {
            Runtime.getRuntime().halt(0);
        }
        process.standAt(next.substring(next.indexOf(' ') + 1), Integer.parseInt(next.substring(0, next.indexOf(' '))));
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random();
            new Thread(() -> process.transfer(random), "ring-" + i).start();
        }
    }

    /** Recovers and answers the number of records left in the log. */
    private int recover(ObjectStoreAPI store) throws Exception {
        List<XAResource> resources = new ArrayList<>(resources(new int[ACCOUNTS.size()]));
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.initialize();
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String parameter) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() {
                return resources.toArray(XAResource[]::new);
            }
        });
        for (int i = 0; i < SCANS && (i == 0 || isAnythingInDoubt() || recordsIn(store) > 0); i++) {
            manager.scan();
        }
        return recordsIn(store);
    }

    private boolean isAnythingInDoubt() throws IOException {
        for (String account : ACCOUNTS) {
            if (!RingResource.amounts(accounts.resolve(account), RingResource.PREPARED)
                    .isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private static int recordsIn(ObjectStoreAPI store) throws ObjectStoreException, IOException {
        InputObjectState found = new InputObjectState();
        int records = 0;
        if (store.allObjUids(new AtomicAction().type(), found) && found.notempty()) {
            while (!UidHelper.unpackFrom(found).equals(Uid.nullUid())) {
                records++;
            }
        }
        return records;
    }

    private void transfer(Random random) {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        try {
            while (true) {
                int given = random.nextInt(100);
                int kept = random.nextInt(100);
                List<RingResource> resources = resources(new int[] {-given, kept, given - kept});
                manager.begin();
                for (RingResource resource : resources) {
                    manager.getTransaction().enlistResource(resource);
                }
                manager.commit();
                say(COMMITTED, resources.get(0).transaction());
                step("after transaction");
            }
        } catch (Exception failed) {
            say(BROKEN, failed.toString());
        }
    }

    private List<RingResource> resources(int[] amounts) throws IOException {
        List<RingResource> resources = new ArrayList<>();
        Consumer<String> listener = this::step;
        for (int i = 0; i < amounts.length; i++) {
            resources.add(new RingResource(accounts.resolve(ACCOUNTS.get(i)), amounts[i], listener));
        }
        return resources;
    }

    private void standAt(String chosenPhase, int chosenTimes) {
        steps.clear();
        phase = chosenPhase;
        times = chosenTimes;
    }

    /** At the chosen step the thread prints that it waits, and waits for ever. */
    private void step(String what) {
        if (steps.merge(what, 1, Integer::sum) == times && what.equals(phase)) {
            say(WAITING, what);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }
    }

    private void say(String what, String rest) {
        synchronized (out) {
            out.println(what + " " + rest);
            out.flush();
        }
    }
}
