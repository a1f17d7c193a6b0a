package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration of an earlier version opens, and the log names what replaces its keys. */
class FormerKeysTest {
    private static final String FORMER = "tallystick.journal.max-record-size";
    private static final String FORMER_VARIABLE = "TALLYSTICK_JOURNAL_MAX_RECORD_SIZE";
    private static final String WARNING =
            "TALLY0006 " + FORMER + " is now called tallystick.max-state-size and still works; rename it";

    private final Logger logger = Logger.getLogger(ObjectStores.class.getName());
    private final List<String> warnings = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            if (logged.getLevel() == Level.WARNING) {
                warnings.add(logged.getMessage());
            } else {
                remarks.add(new SimpleFormatter().formatMessage(logged));
            }
        }

        @Override
        public void flush() {
            // nothing is buffered
        }

        @Override
        public void close() {
            // nothing is held
        }
    };

    @TempDir
    Path directory;

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
        System.clearProperty(FORMER);
        System.clearProperty("tallystick.max-state-size");
        System.clearProperty("tallystick.store");
    }

    @Test
    void variablesThatKubernetesMakesForAServiceAreNamedOnce() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .withVariables(Map.of("TALLYSTICK_DB_PORT_5432_TCP_ADDR", "10.0.0.7"))
                .store(UnknownOutcomeProvider.NAME)
                .build();

        ObjectStores.open(configuration);

        assertThat(warnings).isEmpty();
        assertThat(remarks)
                .filteredOn(remark -> remark.startsWith("TALLY0023"))
                .singleElement()
                .asString()
                .contains("TALLYSTICK_DB_PORT_5432_TCP_ADDR");
    }

    @Test
    void theFormerKeyOfTheLargestStateWorksInEveryPlaceAndIsWarnedOfOnce() throws IOException {
        for (StoreConfiguration.Builder builder : builders(FORMER, "2MiB").toList()) {
            warnings.clear();
            StoreConfiguration configuration =
                    builder.store(UnknownOutcomeProvider.NAME).build();

            assertThat(configuration.get(StoreOption.MAX_STATE_SIZE)).isEqualTo(2 * StoreOption.MIB);
            assertThat(warnings).isEmpty();
            ObjectStores.open(configuration.toBuilder().build());
            assertThat(warnings).containsExactly(WARNING);
        }
    }

    @Test
    void theFormerVariableWorksAndIsWarnedOfOnce() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .store(UnknownOutcomeProvider.NAME)
                .withVariables(Map.of(FORMER_VARIABLE, "2MiB"))
                .build();

        ObjectStores.open(configuration);

        assertThat(configuration.get(StoreOption.MAX_STATE_SIZE)).isEqualTo(2 * StoreOption.MIB);
        assertThat(warnings)
                .containsExactly("TALLY0006 " + FORMER_VARIABLE
                        + " is now called TALLYSTICK_MAX_STATE_SIZE and still works; rename it");
    }

    @Test
    void theProcessOwnPropertyWorksAndIsWarnedOfOnce() {
        System.setProperty(FORMER, "2MiB");
        System.setProperty("tallystick.store", UnknownOutcomeProvider.NAME);

        ObjectStores.open();

        assertThat(warnings).containsExactly(WARNING);
    }

    @Test
    void aRetiredKeyOpensTheStoreInEveryPlaceAndIsWarnedOfOnce() throws IOException {
        for (StoreConfiguration.Builder builder :
                builders("tallystick.journal.wait-strategy", "yielding").toList()) {
            warnings.clear();
            ObjectStores.open(builder.store(UnknownOutcomeProvider.NAME).build());
            assertThat(warnings)
                    .containsExactly("TALLY0006 tallystick.journal.wait-strategy has no effect any more; remove it");
        }
    }

    @Test
    void bothKeysOpenWithOneValueAndAreRefusedWithTwo() throws IOException {
        for (StoreConfiguration.Builder builder : builders(FORMER, "2MiB").toList()) {
            builder.store(UnknownOutcomeProvider.NAME).withVariables(Map.of("TALLYSTICK_MAX_STATE_SIZE", "2048KiB"));
            warnings.clear();
            ObjectStores.open(builder.build());
            assertThat(warnings).containsExactly(WARNING);

            builder.withVariables(Map.of("TALLYSTICK_MAX_STATE_SIZE", "3MiB"));
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(FORMER, "TALLYSTICK_MAX_STATE_SIZE");
        }
        System.setProperty(FORMER, "2MiB");
        System.setProperty("tallystick.max-state-size", "1MiB");
        assertThatThrownBy(StoreConfiguration::fromEnvironment)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(FORMER, "tallystick.max-state-size");
    }

    @Test
    void thePresentKeyIsNotWarnedOf() throws IOException {
        for (StoreConfiguration.Builder builder :
                builders("tallystick.max-state-size", "2MiB").toList()) {
            ObjectStores.open(builder.store(UnknownOutcomeProvider.NAME).build());
        }
        assertThat(warnings).isEmpty();
    }

    @Test
    void aValueThatCodeSetsGoesBeforeTheFormerKey() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .set(StoreOption.MAX_STATE_SIZE, 5 * StoreOption.MIB)
                .withVariables(Map.of(FORMER_VARIABLE, "2MiB"))
                .build();

        assertThat(configuration.get(StoreOption.MAX_STATE_SIZE)).isEqualTo(5 * StoreOption.MIB);
    }

    private Stream<StoreConfiguration.Builder> builders(String key, String text) throws IOException {
        Properties properties = new Properties();
        properties.setProperty(key, text);
        Path file = Files.writeString(directory.resolve("tallystick.properties"), key + "=" + text);
        return Stream.of(
                StoreConfiguration.builder().set(key, text),
                StoreConfiguration.builder().withProperties(properties),
                StoreConfiguration.builder().withFile(file));
    }
}
