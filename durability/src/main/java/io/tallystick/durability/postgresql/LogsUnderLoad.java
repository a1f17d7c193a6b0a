package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Logs that are written to at the same time. Closing it ends their stores without a check. */
final class LogsUnderLoad implements AutoCloseable {
    private final List<NodeLog> logs = new ArrayList<>();
    private final List<Torture> loads = new ArrayList<>();

    /** Opens a log, and writes to it from now on. */
    void begin(NodeLog log, Opening how, long seed) throws IOException {
        logs.add(log);
        log.open(how);
        loads.add(log.beginLoad(seed));
    }

    NodeLog log(int number) {
        return logs.get(number);
    }

    /** From now on the stores may fail. */
    void disasterBegins() {
        loads.forEach(Torture::disasterBegins);
    }

    /** Ends the load of a log, and counts what it did. */
    Counts end(int number) throws IOException, InterruptedException {
        Torture load = loads.get(number);
        load.stop();
        return Counts.of("operations", load.awaitEnd());
    }

    @Override
    public void close() {
        logs.forEach(log -> NodeLog.abandon(log.store()));
    }
}
