package io.tallystick.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class UnknownPropertiesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tallystick.journal.segment-size",
                "tallystick.journal.segmentSize",
                "tallystick.journal.segment_size",
                "tallystick.drain.on-shutdown",
                "tallystick.bench.anything",
                "tallystick",
                "tallysticks.store",
                "spring.tallystick.x"
            })
    void aKnownNameInAnyFormIsLeftAlone(String name) {
        assertThatCode(() -> UnknownProperties.check(properties(name))).doesNotThrowAnyException();
    }

    @Test
    void anUnknownNameIsRefusedWithItsPlaceAndTheNearestName() {
        assertThatThrownBy(() -> UnknownProperties.check(properties("tallystick.journal.segmentsize2")))
                .isInstanceOf(StartRefusedException.class)
                .hasMessageContaining("TALLY0702")
                .hasStackTraceContaining(
                        "'tallystick.journal.segmentsize2' in test; did you mean 'tallystick.journal.segment-size'?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TALLYSTICK_JOURNAL_SEGMENTSIZE",
                "TALLYSTICK_JOURNAL_SEGMENT_SIZE",
                "TALLYSTICK_SERVICE_HOST",
                "TALLYSTICK_PORT_80_TCP",
                "TALLYSTICK_DB_SERVICE_HOST",
                "TALLYSTICK_DB_PORT_5432_TCP_ADDR",
                "TALLYSTICKS"
            })
    void aKnownVariableIsLeftAlone(String name) {
        assertThatCode(() -> UnknownProperties.check(variables(name))).doesNotThrowAnyException();
    }

    @Test
    void theVariablesOfAServiceAreHandedOnToBeNamed() {
        assertThat(UnknownProperties.ofServices(variables("TALLYSTICK_DB_SERVICE_HOST")))
                .containsOnlyKeys("TALLYSTICK_DB_SERVICE_HOST");
        assertThat(UnknownProperties.ofServices(variables("TALLYSTICK_DIRECTORY")))
                .isEmpty();
    }

    @Test
    void anUnknownVariableIsRefusedWithTheNearestName() {
        assertThatThrownBy(() -> UnknownProperties.check(variables("TALLYSTICK_DIRECTRY")))
                .isInstanceOf(StartRefusedException.class)
                .hasStackTraceContaining("environment variable 'TALLYSTICK_DIRECTRY'")
                .hasStackTraceContaining("did you mean 'TALLYSTICK_DIRECTORY'?");
    }

    private static ConfigurableEnvironment properties(String name) {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(name, "x")));
        return environment;
    }

    private static ConfigurableEnvironment variables(String name) {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, "x")));
        return environment;
    }
}
