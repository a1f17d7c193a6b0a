package io.tallystick.spring.boot;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.logs.UnservedLog;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
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
    private static final Set<String> IN_DIRECTORY = Set.of("file", "journal");
    private static final String SUB_DIRECTORY = "TallystickObjectStore";
    // Eight times a log with all defaults. A larger one is named and not read.
    private static final long MOST_BYTES = 1024 * StoreOption.MIB;

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
                    .toConfiguration(
                            UnknownProperties.ofServices(environment), UnknownProperties.ofOtherStores(environment));
            return directoryOf(configuration).flatMap(directory -> UnservedLog.remarkOn(directory, MOST_BYTES));
        } catch (BindException | IllegalArgumentException | StoreException wrong) {
            return Optional.of(
                    "transactions may lie in its store, whose properties cannot be read (" + wrong.getMessage() + ")");
        }
    }

    /** Where the starter would open a store; empty for a database and for the memory. */
    private static Optional<Path> directoryOf(StoreConfiguration configuration) {
        if (!IN_DIRECTORY.contains(configuration.get(StoreOption.STORE))) {
            return Optional.empty();
        }
        String narayanas = BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)
                .getObjectStoreDir();
        return configuration
                .find(StoreOption.DIRECTORY)
                .or(() -> Optional.ofNullable(narayanas).map(Path::of).map(parent -> parent.resolve(SUB_DIRECTORY)));
    }
}
