package io.tallystick.durability.ring;

import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.LogLevels;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.StoreConfiguration;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.transaction.xa.XAResource;

/**
 * A process with Narayana and three accounts. It recovers and prints the number of records left in the log. When it is
 * told to go on, several threads move amounts between the accounts, until it is killed.
 */
final class RingProcess {
    /** As the first argument: system properties configure the store, as in an application. */
    static final String CONFIGURED = "configured";

    /** The first words of the lines that it prints; the rest of the line follows a blank. */
    static final String RECOVERED = "recovered";

    static final String COMMITTED = Teller.COMMITTED;
    static final String BROKEN = "broken";

    /** The number of threads that move amounts. */
    static final int THREADS = 4;

    private static final int SCANS = 3;

    private final Accounts accounts;
    private final Standstill standstill;

    private RingProcess(Accounts accounts, Standstill standstill) {
        this.accounts = accounts;
        this.standstill = standstill;
    }

    /** The accounts of the ring in this directory. */
    static Accounts accounts(Path directory) {
        return new Accounts(directory.resolve("accounts"));
    }

    /** The directory of the store of the ring in this directory. */
    static Path store(Path directory) {
        return directory.resolve("store");
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
     * Arguments: subject or {@link #CONFIGURED}, directory, the step of recovery at which it stops to be killed, and
     * the occurrence of that step. Standard input gives the step and the occurrence for the transactions afterwards.
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        LogLevels.silence();
        Path directory = Path.of(arguments[1]);
        if (arguments[0].equals(CONFIGURED)) {
            NarayanaStores.install(StoreConfiguration.fromEnvironment());
        } else {
            Subject subject = SubjectCatalog.named(List.of(arguments[0])).get(0);
            ObjectStoreAPI store = subject.openForNarayana(store(directory));
            store.start();
            new StoreManager(store, store, store);
        }
        Standstill standstill = new Standstill(out, arguments[2], Integer.parseInt(arguments[3]));
        RingProcess process = new RingProcess(accounts(directory), standstill);
        standstill.say(RECOVERED, String.valueOf(process.recover()));
        String next = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine();
        if (next == null) {
            Runtime.getRuntime().halt(0);
        }
        standstill.choose(
                next.substring(next.indexOf(' ') + 1), Integer.parseInt(next.substring(0, next.indexOf(' '))));
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random();
            new Thread(() -> process.transfer(random), "ring-" + i).start();
        }
    }

    /** Recovers and answers the number of records left in the log. */
    private int recover() throws Exception {
        List<XAResource> resources = new ArrayList<>(accounts.resources(new int[Accounts.count()], standstill::step));
        RecoveringNarayana recovery = new RecoveringNarayana(resources);
        for (int i = 0;
                i < SCANS && (i == 0 || accounts.isAnythingInDoubt() || RecoveringNarayana.records() > 0);
                i++) {
            recovery.scan();
        }
        return RecoveringNarayana.records();
    }

    private void transfer(Random random) {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        try {
            while (true) {
                int given = random.nextInt(100);
                int kept = random.nextInt(100);
                List<RingResource> resources =
                        accounts.resources(new int[] {-given, kept, given - kept}, standstill::step);
                manager.begin();
                for (RingResource resource : resources) {
                    manager.getTransaction().enlistResource(resource);
                }
                manager.commit();
                standstill.say(COMMITTED, resources.get(0).transaction());
                standstill.step("after transaction");
            }
        } catch (Exception failed) {
            standstill.say(BROKEN, failed.toString());
        }
    }
}
