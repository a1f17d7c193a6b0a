package io.tallystick.spring.boot;

import io.tallystick.narayana.UnservedLog;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Warns, while the starter is switched off, of transactions in the store that it would open. A thread of its own looks:
 * the start waits for it, but not for a slow disk.
 */
final class UnservedLogWarning {
    private static final Log LOG = LogFactory.getLog(UnservedLogWarning.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ConfigurableEnvironment environment;

    UnservedLogWarning(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    /** Looks, and warns. After five seconds the start goes on, and the warning may come later. */
    void awaitLook() {
        Thread look = new Thread(this::warn, "tallystick-look-at-unserved-log");
        look.setDaemon(true);
        look.start();
        try {
            look.join(PATIENCE.toMillis());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void warn() {
        remark().ifPresent(found -> LOG.warn("TALLY0710 tallystick.enabled=false, so Narayana works on another store,"
                + " but " + found + ". Recovery does not see them there, and may roll back what was committed at other"
                + " resources. Set tallystick.enabled=true until they have ended: docs/migration.md, going back to"
                + " Narayana's own store"));
    }

    private Optional<String> remark() {
        try {
            StoreConfiguration configuration = Binder.get(environment)
                    .bindOrCreate("tallystick", TallystickProperties.class)
                    .toConfiguration(Set.of(), UnknownProperties.ofServices(environment));
            return UnservedLog.remarkOn(configuration);
        } catch (BindException | IllegalArgumentException | StoreException wrong) {
            return Optional.of(
                    "transactions may lie in its store, whose properties cannot be read (" + wrong.getMessage() + ")");
        }
    }
}
