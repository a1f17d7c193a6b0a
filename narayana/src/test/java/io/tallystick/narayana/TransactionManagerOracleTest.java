package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.coordinator.TransactionReaper;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import com.arjuna.ats.internal.jta.transaction.arjunacore.UserTransactionImple;
import io.tallystick.narayana.TransactionScript.Answers;
import io.tallystick.narayana.TransactionScript.Subject;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.store.ObjectStore;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Our transaction manager beside Narayana's own: the same script, the same answers. All scripts run at once, each on a
 * thread of its own, because some of them wait for a time limit.
 */
class TransactionManagerOracleTest {
    private static final io.tallystick.reaper.TransactionReaper REAPER = io.tallystick.reaper.TransactionReaper.open(
            ReaperOptions.builder().listener(ReaperListener.silent()).build());
    private static final Map<TransactionScript, Map<String, Future<List<String>>>> RUNS =
            new EnumMap<>(TransactionScript.class);

    @BeforeAll
    static void runEverything(@TempDir Path directory) {
        StoreManager.shutdown(); // of a store that another test in this process has left
        ObjectStore store = StoreKind.INMEMORY.open(directory);
        new StoreManager(
                new TallystickObjectStore(store), new TallystickObjectStore(store), new TallystickObjectStore(store));
        ExecutorService threads = Executors.newCachedThreadPool();
        for (TransactionScript script : TransactionScript.values()) {
            Map<String, Future<List<String>>> runs = new HashMap<>();
            for (boolean byUser : new boolean[] {false, true}) {
                Subject narayana = new Subject(new TransactionManagerImple(), new UserTransactionImple(), byUser);
                Subject ours = new Subject(
                        new TallystickTransactionManager(REAPER), new TallystickUserTransaction(REAPER), byUser);
                runs.put("narayana " + byUser, threads.submit(() -> answers(script, narayana)));
                runs.put("ours " + byUser, threads.submit(() -> answers(script, ours)));
            }
            RUNS.put(script, runs);
        }
        threads.shutdown();
    }

    @AfterAll
    static void close() {
        REAPER.close();
        StoreManager.shutdown();
    }

    @ParameterizedTest
    @EnumSource
    void theTransactionManagerAnswersAsNarayanas(TransactionScript script) throws Exception {
        Map<String, Future<List<String>>> runs = RUNS.get(script);
        assertThat(runs.get("ours false").get())
                .isEqualTo(runs.get("narayana false").get());
    }

    @ParameterizedTest
    @EnumSource
    void theUserTransactionAnswersAsNarayanas(TransactionScript script) throws Exception {
        Map<String, Future<List<String>>> runs = RUNS.get(script);
        assertThat(runs.get("ours true").get())
                .isEqualTo(runs.get("narayana true").get());
    }

    /** So that the comparison does not pass because both sides failed alike. */
    @Test
    void theScriptsDoWhatTheirNamesSay() throws Exception {
        assertThat(RUNS.get(TransactionScript.COMMIT_IN_TWO_PHASES)
                        .get("ours false")
                        .get())
                .contains("commit: done", "resource: [timeout 77, start, end, prepare, commit]");
        assertThat(RUNS.get(TransactionScript.TIME_OUT_THEN_COMMIT)
                        .get("ours false")
                        .get())
                .contains("synchronization after 4", "timed out: true")
                .anyMatch(answer -> answer.startsWith("commit: jakarta.transaction.RollbackException"));
        assertThat(RUNS.get(TransactionScript.TIME_OUT_BEFORE_COMPLETION)
                        .get("ours false")
                        .get())
                .contains("timed out: true");
    }

    @Test
    void narayanasReaperNeverMeetsOurTransactions() throws Exception {
        TallystickTransactionManager manager = new TallystickTransactionManager(REAPER);
        manager.begin();
        assertThat(TransactionReaper.transactionReaper().getTimeout(ActionOf.current()))
                .isZero();
        manager.rollback();
    }

    private static List<String> answers(TransactionScript script, Subject subject) throws Exception {
        Answers answers = new Answers();
        script.run(subject, answers);
        return answers.list();
    }

    /** The transaction as the core knows it. */
    private static final class ActionOf {
        static Object current() {
            return com.arjuna.ats.arjuna.coordinator.BasicAction.Current();
        }
    }
}
