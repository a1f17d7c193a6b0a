package io.tallystick.quarkus;

import io.quarkus.narayana.jta.runtime.ObjectStoreType;
import io.quarkus.narayana.jta.runtime.TransactionManagerConfiguration;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.ShutdownContext;
import io.quarkus.runtime.annotations.Recorder;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.tallystick.narayana.InstallationException;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.eclipse.microprofile.config.ConfigProvider;

/** The steps of the extension in an application that starts. */
@Recorder
public class TallystickRecorder {
    /** The text for an application that chooses two stores. */
    public static final String TWO_STORES = "TALLY0707 two transaction logs are configured: this application has the"
            + " extension tallystick, and quarkus.transaction-manager.object-store.type=jdbc; remove the key, or remove"
            + " the dependency tallystick-quarkus to keep the log in the database. Transactions in doubt stay where"
            + " they are: let recovery finish them before you change the log";

    private final RuntimeValue<TransactionManagerConfiguration> manager;

    /** @param manager the settings of the transaction manager, readable when the application runs */
    public TallystickRecorder(RuntimeValue<TransactionManagerConfiguration> manager) {
        this.manager = manager;
    }

    /**
     * A place for the store, whose closing is registered before all tasks that Narayana registers. The tasks run in the
     * reverse order. So the store is closed after recovery has stopped, which works on it to its end, and a reload of
     * the development mode finds no lock.
     */
    public RuntimeValue<InstalledStore> place(ShutdownContext shutdown) {
        InstalledStore place = new InstalledStore();
        shutdown.addLastShutdownTask(place::close);
        return new RuntimeValue<>(place);
    }

    /**
     * Opens the store and installs it in Narayana.
     *
     * @throws RuntimeException the store cannot be opened, or a setting is wrong; the application does not start
     */
    public RuntimeValue<ObjectStore> install(RuntimeValue<InstalledStore> place) {
        if (manager.getValue().objectStore().type() == ObjectStoreType.JDBC) {
            throw new ConfigurationException(TWO_STORES, Set.of("quarkus.transaction-manager.object-store.type"));
        }
        NarayanaStores stores = installed(settings());
        place.getValue().put(stores);
        return new RuntimeValue<>(stores.store());
    }

    /** Shows the store as metrics, once the registries of Micrometer are there. */
    public Consumer<MetricsFactory> metrics(RuntimeValue<ObjectStore> store) {
        return new StoreMeters(store);
    }

    private static NarayanaStores installed(StoreConfiguration settings) {
        try {
            return NarayanaStores.installQuietly(settings, EnumSet.allOf(NarayanaStores.Role.class));
        } catch (IllegalArgumentException wrong) {
            throw badSetting(QuarkusKeys.beside(wrong.getMessage()), wrong);
        } catch (InstallationException refused) {
            throw refusal(QuarkusKeys.beside(refused.getMessage()), refused);
        } catch (StoreException refused) {
            String text = refused.messageId() + " " + refused.getMessage();
            throw refusal(QuarkusKeys.beside(text) + remedyOf(refused), refused);
        }
    }

    /** What to write into which file, where the store's own text cannot know it. */
    private static String remedyOf(StoreException refused) {
        if (refused instanceof StoreLockedException) {
            return ". If that is the development mode, or another test, write into"
                    + " src/main/resources/application.properties:"
                    + " %test.quarkus.tallystick.directory=target/tallystick-test and"
                    + " %test.quarkus.tallystick.journal.segment-size=4MiB. A test without a directory of its"
                    + " own uses " + StoreSettings.TEST_DIRECTORY + "; tests that run at once need one each";
        }
        if (refused instanceof StoreIoException unusable && !unusable.isOfACopy()) {
            return ". The keys are quarkus.tallystick.directory and"
                    + " quarkus.transaction-manager.object-store.directory. An application whose transactions"
                    + " have one resource each needs no log on a disk: add the artifact"
                    + " tallystick-store-inmemory and quarkus.tallystick.store=inmemory";
        }
        return "";
    }

    private static StoreConfiguration settings() {
        try {
            return LaunchMode.current() == LaunchMode.TEST
                    ? StoreSettings.ofTest(ConfigProvider.getConfig())
                    : StoreSettings.of(ConfigProvider.getConfig());
        } catch (IllegalArgumentException wrong) {
            throw badSetting(wrong.getMessage(), wrong);
        }
    }

    private static ConfigurationException badSetting(String text, Exception why) {
        return refusal("TALLY0706 a setting of the transaction log is wrong: " + text, why);
    }

    // Quarkus prints the text of this exception alone, where it prints the stack of every other one. It looks at the
    // innermost cause, so the reason is no cause of it.
    private static ConfigurationException refusal(String text, Exception why) {
        ConfigurationException refusal = new ConfigurationException(text, Set.of());
        refusal.addSuppressed(why);
        return refusal;
    }
}
