package io.tallystick.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.narayana.ReaperSettings;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.settings.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class TallystickPropertiesTest {
    private static final Path DOCUMENT = Path.of("../../../docs/embedding-spring-boot.md");
    private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

    /** A value of each option that is not its default. */
    private static final Map<String, String> OTHER_VALUES = Map.ofEntries(
            Map.entry("tallystick.store", "file"),
            Map.entry("tallystick.directory", "/var/lib/tx"),
            Map.entry("tallystick.expect-existing", "true"),
            Map.entry("tallystick.node-id", "pod-0"),
            Map.entry("tallystick.journal.engine", "artemis"),
            Map.entry("tallystick.journal.io", "channel"),
            Map.entry("tallystick.journal.segment-size", "64MiB"),
            Map.entry("tallystick.journal.segments", "8"),
            Map.entry("tallystick.journal.block-size", "8k"),
            Map.entry("tallystick.max-state-size", "2MiB"),
            Map.entry("tallystick.remove-durability", "forced"),
            Map.entry("tallystick.on-unknown-outcome", "halt"),
            Map.entry("tallystick.on-lost-log", "halt"),
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
            Map.entry("tallystick.node-pool-recover-with", "/etc/recover/arguments"));

    private static final Map<String, String> OTHER_REAPER_VALUES = Map.of(
            "tallystick.reaper.precision", "20ms",
            "tallystick.reaper.workers", "7",
            "tallystick.reaper.wedged-after", "PT1.5S",
            "tallystick.reaper.max-wedged-workers", "3",
            "tallystick.reaper.stack-capture-lead", "1m",
            "tallystick.reaper.close-mode", "wait",
            "tallystick.reaper.close-timeout", "1h");

    @TempDir
    Path directory;

    static List<StoreOption<?>> options() {
        return StoreOption.all();
    }

    @ParameterizedTest
    @MethodSource("options")
    void everyOptionOfAStoreIsAProperty(StoreOption<?> option) {
        String text = OTHER_VALUES.get(option.key());
        assertThat(text).as("a value of %s for this test", option).isNotNull();

        StoreConfiguration configuration = bound(Map.of(option.key(), text)).toConfiguration(Map.of(), Map.of());

        assertThat(configuration.isSet(option)).isTrue();
        assertThat(configuration.find(option)).isEqualTo(Optional.of(option.parse(text)));
        assertThat(configuration.find(option)).isNotEqualTo(option.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("options")
    void aPropertyThatIsNotGivenHasTheDefaultOfTheOption(StoreOption<?> option) {
        StoreConfiguration configuration = bound(Map.of()).toConfiguration(Map.of(), Map.of());

        assertThat(configuration.isSet(option)).isFalse();
        assertThat(configuration.find(option)).isEqualTo(option.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("options")
    void theMetadataTellsTypeDefaultAndEffectOfEachOption(StoreOption<?> option) throws IOException {
        Map<String, Object> property = metadata().get(option.key());

        assertThat(property).as(option.key()).isNotNull();
        assertThat(property).containsEntry("description", option.description());
        assertThat(property).containsEntry("type", typeOf(option.defaultValue().orElse(null)));
        assertThat(Optional.ofNullable(property.get("defaultValue")).map(text -> option.parse(text.toString())))
                .isEqualTo(option.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("options")
    void theMetadataHintsAtTheValuesOfAChoice(StoreOption<?> option) throws IOException {
        List<String> hints = hints().getOrDefault(option.key(), List.of());
        boolean isChoice = !accepts(option, "zz") && refusal(option).contains("write one of ");
        boolean isTruth = accepts(option, "true");

        assertThat(hints)
                .allSatisfy(
                        value -> assertThat(accepts(option, value)).as(value).isTrue());
        if (isChoice && !isTruth) {
            assertThat(Arrays.stream(option.description().split("[^a-z-]+")).filter(word -> accepts(option, word)))
                    .as("values that the description of %s names", option)
                    .isSubsetOf(hints)
                    .hasSizeGreaterThan(1);
        }
    }

    private static boolean accepts(StoreOption<?> option, String text) {
        try {
            option.parse(text);
            return true;
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }

    private static String refusal(StoreOption<?> option) {
        try {
            return "accepts " + option.parse("zz");
        } catch (IllegalArgumentException refused) {
            return refused.getMessage();
        }
    }

    @Test
    void theMetadataHasThePropertiesAndNoOthers() throws IOException {
        assertThat(metadata().keySet()).containsExactlyInAnyOrderElementsOf(UnknownProperties.known());
    }

    @Test
    void theMetadataTellsTypeDefaultAndEffectOfEachSettingOfTheReaper() throws IOException {
        Map<String, Map<String, Object>> metadata = metadata();
        for (Setting<?> setting : ReaperSettings.all()) {
            assertThat(metadata.get(setting.name()))
                    .containsEntry("description", setting.description())
                    .containsEntry("type", typeOf(setting.defaultValue().orElseThrow()))
                    .hasEntrySatisfying("defaultValue", text -> assertThat(text.toString())
                            .isEqualTo(setting.defaultText().orElseThrow()));
        }
    }

    @Test
    void everySettingOfTheReaperIsAProperty() {
        assertThat(OTHER_REAPER_VALUES.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        ReaperSettings.all().stream().map(Setting::name).toList());
        assertThat(bound(OTHER_REAPER_VALUES).reaper().given()).isEqualTo(OTHER_REAPER_VALUES);
        assertThat(ReaperSettings.of(bound(Map.of()).reaper().given()))
                .hasToString(ReaperOptions.defaults().toString());
    }

    @Test
    void ownPropertiesHaveTheDefaultsOfTheMetadata() throws IOException {
        TallystickProperties properties = bound(Map.of());
        Map<String, Map<String, Object>> metadata = metadata();

        assertThat(metadata.get("tallystick.enabled")).containsEntry("defaultValue", properties.enabled());
        assertThat(metadata.get("tallystick.name-resources")).containsEntry("defaultValue", properties.nameResources());
        assertThat(metadata.get("tallystick.drain.on-shutdown"))
                .containsEntry("defaultValue", properties.drain().onShutdown());
        assertThat(metadata.get("tallystick.drain.timeout"))
                .containsEntry("defaultValue", properties.drain().timeout().toSeconds() + "s");
        assertThat(metadata.get("tallystick.reaper.enabled"))
                .containsEntry("defaultValue", properties.reaper().enabled());
        assertThat(properties.drain().timeout()).isEqualTo(Duration.ofSeconds(120));
    }

    @Test
    void theDocumentHasARowForEachPropertyThatIsOnlyHere() throws IOException {
        List<String> rows = Files.readAllLines(DOCUMENT);
        List<String> elsewhere = Stream.concat(
                        StoreOption.all().stream().map(StoreOption::key),
                        ReaperSettings.all().stream().map(Setting::name))
                .toList();

        assertThat(metadata().values())
                .filteredOn(property -> !elsewhere.contains(property.get("name")))
                .hasSize(6)
                .allSatisfy(property -> assertThat(rows)
                        .contains("| `" + property.get("name") + "` | " + property.getOrDefault("defaultValue", "none")
                                + " | " + property.get("description") + " |"));
    }

    @Test
    void aBadValueIsRefusedByTheReaderOfTheStore() {
        assertThatThrownBy(
                        () -> bound(Map.of("tallystick.journal.segments", "3")).toConfiguration(Map.of(), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.journal.segments='3' is not valid: not between 4 and 4096");
    }

    @Test
    void aConfigurationFileHasTheLastWord() throws IOException {
        Path file = Files.writeString(
                directory.resolve("store.properties"), "tallystick.store=file\ntallystick.jmx=true\n");

        StoreConfiguration configuration = bound(
                        Map.of("tallystick.configuration-file", file.toString(), "tallystick.store", "inmemory"))
                .toConfiguration(Map.of(), Map.of());

        assertThat(configuration.get(StoreOption.STORE)).isEqualTo("inmemory");
        assertThat(configuration.get(StoreOption.JMX)).isTrue();
    }

    private static TallystickProperties bound(Map<String, String> values) {
        return new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("tallystick", TallystickProperties.class);
    }

    private static String typeOf(Object value) {
        return Stream.of(Boolean.class, Integer.class)
                .filter(type -> type.isInstance(value))
                .findFirst()
                .<Class<?>>map(type -> type)
                .orElse(String.class)
                .getName();
    }

    private static Map<String, Map<String, Object>> metadata() throws IOException {
        Map<String, Map<String, Object>> byName = new LinkedHashMap<>();
        for (JsonValue property : metadataFile().get("properties").asArray()) {
            Map<String, Object> members = new LinkedHashMap<>();
            property.asObject().forEach(member -> members.put(member.getName(), valueOf(member.getValue())));
            byName.put((String) members.get("name"), members);
        }
        return byName;
    }

    private static Map<String, List<String>> hints() throws IOException {
        Map<String, List<String>> byName = new LinkedHashMap<>();
        for (JsonValue hint : metadataFile().get("hints").asArray()) {
            List<String> values = new ArrayList<>();
            hint.asObject()
                    .get("values")
                    .asArray()
                    .forEach(value -> values.add(value.asObject().getString("value", "")));
            byName.put(hint.asObject().getString("name", ""), values);
        }
        assertThat(UnknownProperties.known()).containsAll(byName.keySet());
        return byName;
    }

    private static JsonObject metadataFile() throws IOException {
        try (InputStream file = TallystickPropertiesTest.class.getResourceAsStream(METADATA)) {
            return Json.parse(new InputStreamReader(file, StandardCharsets.UTF_8))
                    .asObject();
        }
    }

    private static Object valueOf(JsonValue value) {
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        return value.isNumber() ? value.asInt() : value.asString();
    }
}
