package io.tallystick.durability.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.durability.Counts;
import io.tallystick.durability.subject.SubjectCatalog;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterStageTest {
    private static final int PARTS = 4;
    private static final int LOGS = 5_000;

    @Test
    void partsThatMakeLogsAtTheSameTimeGetALogEach(@TempDir Path scratch) throws Exception {
        ClusterStage.ClusterSession session = new ClusterStage.ClusterSession(SubjectCatalog.postgresql(), scratch) {
            @Override
            Counts runCase(long seed) {
                return Counts.NOTHING;
            }
        };
        Set<String> nodes = ConcurrentHashMap.newKeySet();

        ClusterStage.together(PARTS, number -> {
            for (int i = 0; i < LOGS; i++) {
                nodes.add(session.newLog().nodeId());
            }
            return Counts.NOTHING;
        });

        assertThat(nodes).hasSize(PARTS * LOGS);
    }
}
