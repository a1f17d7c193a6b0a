package io.tallystick.spring.boot;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import io.tallystick.narayana.DrainReport;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.TallystickDrain;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Empties the log while its context is closed: after the web server and the message listeners have stopped, and before
 * data sources, recovery and the store end.
 */
final class DrainOnShutdown implements SmartLifecycle {
    // Spring's way to the log: a process that ends closes java.util.logging, where System.Logger leads, before this.
    private static final Log LOG = LogFactory.getLog(DrainOnShutdown.class);

    // The web server stops in the phases 1024 and 2048 below the default one, message listeners in the default one.
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private final NarayanaStores stores;
    private final DrainedProcess process;
    private final Duration atMost;
    private volatile boolean isRunning;

    DrainOnShutdown(NarayanaStores stores, DrainedProcess process, Duration atMost) {
        this.stores = stores;
        this.process = process;
        this.atMost = atMost;
    }

    @Override
    public void start() {
        isRunning = true;
    }

    /**
     * Drains for the time that was configured at most, and says what is left. Does nothing while another context of
     * this process uses the store, because a drain refuses its transactions too.
     */
    @Override
    public void stop() {
        isRunning = false;
        if (stores.isShared()) {
            LOG.info("TALLY0705 the log was not drained: another context of this process uses it");
            return;
        }
        TallystickDrain drain = TallystickDrain.of(stores.store())
                .recoveringBy(() -> RecoveryManager.manager().scan());
        LOG.info("TALLY0705 the log is drained before shutdown, for at most " + atMost.toSeconds() + " s");
        process.isDrained();
        DrainReport report = drain.drain(atMost);
        String line = "TALLY0705 the drain before shutdown has ended: " + report;
        if (report.isDrained()) {
            LOG.info(line);
        } else {
            LOG.warn(line);
        }
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
