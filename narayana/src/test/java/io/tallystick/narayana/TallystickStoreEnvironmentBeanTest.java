package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import com.arjuna.common.internal.util.propertyservice.FullPropertyName;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TallystickStoreEnvironmentBeanTest {
    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("tallystick.store", "file"),
            Map.entry("tallystick.directory", "/var/lib/tx"),
            Map.entry("tallystick.expect-existing", "true"),
            Map.entry("tallystick.journal.engine", "artemis"),
            Map.entry("tallystick.journal.io", "channel"),
            Map.entry("tallystick.journal.segment-size", "64MiB"),
            Map.entry("tallystick.node-id", "node-7"),
            Map.entry("tallystick.on-old-log", "warn"),
            Map.entry("tallystick.jmx", "true"),
            Map.entry("tallystick.indoubt.settle", "true"),
            Map.entry("tallystick.indoubt.keep-in", "/var/lib/kept"),
            Map.entry("tallystick.takeover", "at-once"),
            Map.entry("tallystick.lease", "5s"),
            Map.entry("tallystick.patience", "7s"),
            Map.entry("tallystick.require-replication", "service"),
            Map.entry("tallystick.max-live-size", "8MiB"),
            Map.entry("tallystick.postgresql.url", "jdbc:postgresql://db/tx"),
            Map.entry("tallystick.postgresql.user", "tx"),
            Map.entry("tallystick.postgresql.password-file", "/run/secrets/tx"),
            Map.entry("tallystick.postgresql.schema", "tx_log"),
            Map.entry("tallystick.postgresql.create-tables", "true"),
            Map.entry("tallystick.postgresql.lanes", "3"),
            Map.entry("tallystick.node-pool", "orders"),
            Map.entry("tallystick.node-pool-size", "7"),
            Map.entry("tallystick.node-pool-application", "shop"),
            Map.entry("tallystick.node-pool-recover-after", "1m"),
            Map.entry("tallystick.node-pool-recover-with", "/etc/recover/arguments"),
            Map.entry("tallystick.journal.segments", "7"),
            Map.entry("tallystick.journal.block-size", "8KiB"),
            Map.entry("tallystick.max-state-size", "2MiB"),
            Map.entry("tallystick.remove-durability", "forced"),
            Map.entry("tallystick.on-unknown-outcome", "halt"),
            Map.entry("tallystick.on-lost-log", "halt"));

    @Test
    void thereIsAPropertyForEveryKeyOfTheStoresNamedAfterIt() {
        Map<String, String> keysOfFields = Arrays.stream(TallystickStoreEnvironmentBean.class.getDeclaredFields())
                .filter(field -> field.isAnnotationPresent(FullPropertyName.class))
                .collect(Collectors.toMap(
                        field -> field.getAnnotation(FullPropertyName.class).name(), Field::getName));
        assertThat(keysOfFields)
                .containsExactlyInAnyOrderEntriesOf(StoreOption.all().stream()
                        .map(StoreOption::key)
                        .collect(Collectors.toMap(key -> key, TallystickStoreEnvironmentBeanTest::camelCase)));
        assertThat(VALUES.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        StoreOption.all().stream().map(StoreOption::key).toList());
    }

    private static String camelCase(String key) {
        return Pattern.compile("[.-](.)")
                .matcher(key.substring("tallystick.".length()))
                .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
    }

    @Test
    void narayanaFillsEveryPropertyFromOurKeys() throws Exception {
        assertThat(configuredBy(null, properties(""))).isEqualTo(expected());
    }

    @Test
    void narayanaFillsEveryPropertyFromTheNamesOfTheBean() throws Exception {
        for (String bean : List.of(
                "TallystickStoreEnvironmentBean.",
                TallystickStoreEnvironmentBean.class.getName() + ".",
                "TallystickStoreEnvironmentBean.null.")) {
            assertThat(configuredBy(null, properties(bean))).as(bean).isEqualTo(expected());
        }
        assertThat(configuredBy("stateStore", properties("TallystickStoreEnvironmentBean.stateStore.")))
                .isEqualTo(expected());
    }

    @Test
    void aBeanWithANameTakesOurKeysToo() throws Exception {
        assertThat(configuredBy("stateStore", properties(""))).isEqualTo(expected());
    }

    @Test
    void aBeanWithANameLeavesTheSettingsOfTheOneWithoutAlone() throws Exception {
        assertThat(configuredBy("stateStore", properties("TallystickStoreEnvironmentBean.")))
                .isEqualTo("");
    }

    @Test
    void aPropertyWithTheBareNameOfAnotherProgramIsNotTaken() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("store", "another program's");
        properties.setProperty("directory", "/somewhere");
        assertThat(configuredBy(null, properties)).isEqualTo("");
    }

    @Test
    void aBadValueIsRefusedNamingItsKey() {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setJournalIo("drect");
        assertThatThrownBy(() -> bean.applyTo(StoreConfiguration.builder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.journal.io");
    }

    private static Properties properties(String bean) {
        Properties properties = new Properties();
        VALUES.forEach((key, value) -> properties.setProperty(bean.isEmpty() ? key : bean + camelCase(key), value));
        return properties;
    }

    private static String configuredBy(String name, Properties properties) throws Exception {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        BeanPopulator.configureFromProperties(bean, name, properties);
        return configured(bean);
    }

    private static String expected() {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        VALUES.forEach(builder::set);
        return sorted(builder.build());
    }

    private static String configured(TallystickStoreEnvironmentBean bean) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        bean.applyTo(builder);
        return sorted(builder.build());
    }

    private static String sorted(StoreConfiguration configuration) {
        return StoreOption.all().stream()
                .filter(configuration::isSet)
                .map(option -> option.key() + "=" + configuration.get(option))
                .collect(Collectors.joining(" "));
    }
}
