package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqJournalEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor;
import io.tallystick.narayana.logs.OldLog;
import io.tallystick.narayana.logs.OldLogs;
import io.tallystick.storage.SystemDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guard's own reading of Narayana's journal finds what Narayana has in it. */
class JournalWithoutArtemisTest {
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final String OTHER = "/EISNAME";
    private static final long SEED = 13;
    private static final int OPERATIONS = 4000;
    private static final int LOOK_EVERY = 50;
    private static final int LARGEST_STATE_BYTES = 4000;

    @TempDir
    private Path directory;

    @Tag("long")
    @Test
    void theCountIsThatOfNarayanaAfterManyWritesAndRemovalsInReusedFiles() throws Exception {
        HornetqJournalEnvironmentBean bean = new HornetqJournalEnvironmentBean();
        bean.setAsyncIO(false);
        bean.setStoreDir(directory.toString());
        bean.setFileSize(128 * 1024);
        bean.setMinFiles(4);
        bean.setPoolSize(4);
        ObjectStoreAPI journal = new HornetqObjectStoreAdaptor(bean);
        journal.start();
        Random random = new Random(SEED);
        List<Uid> live = new ArrayList<>();
        int looksWithNone = 0;
        int looksWithSome = 0;
        try {
            for (int i = 1; i <= OPERATIONS; i++) {
                step(journal, random, live, i % 400 > 300);
                if (i % LOOK_EVERY == 0) {
                    assertThat(count()).as("after %s operations", i).isEqualTo(live.size());
                    looksWithNone += live.isEmpty() ? 1 : 0;
                    looksWithSome += live.isEmpty() ? 0 : 1;
                }
            }
        } finally {
            journal.stop();
        }
        assertThat(count()).isEqualTo(live.size());
        assertThat(looksWithNone).isPositive();
        assertThat(looksWithSome).isPositive();
    }

    private static void step(ObjectStoreAPI journal, Random random, List<Uid> live, boolean isEmptying)
            throws Exception {
        int choice = random.nextInt(10);
        if (!live.isEmpty() && (isEmptying || choice < 4)) {
            assertThat(journal.remove_committed(live.remove(random.nextInt(live.size())), ACTION))
                    .isTrue();
        } else if (!live.isEmpty() && choice < 6) {
            write(journal, live.get(random.nextInt(live.size())), ACTION, random);
        } else if (choice == 6) {
            Uid other = new Uid();
            write(journal, other, OTHER, random);
            assertThat(journal.remove_committed(other, OTHER)).isTrue();
        } else if (!isEmptying) {
            Uid uid = new Uid();
            write(journal, uid, ACTION, random);
            live.add(uid);
        }
    }

    private static void write(ObjectStoreAPI journal, Uid uid, String type, Random random) throws Exception {
        OutputObjectState state = new OutputObjectState(uid, type);
        byte[] bytes = new byte[random.nextInt(LARGEST_STATE_BYTES)];
        random.nextBytes(bytes);
        state.packBytes(bytes);
        assertThat(journal.write_committed(uid, type, state)).isTrue();
    }

    private int count() {
        List<OldLog> logs = OldLogs.in(new SystemDisk(), List.of(directory), Optional.empty());
        assertThat(logs).allSatisfy(log -> assertThat(log.unreadable()).isEmpty());
        return logs.stream().mapToInt(OldLog::transactions).sum();
    }
}
