package io.tallystick.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The build of an application with two logs fails, and says what to remove. */
class LogInADatabaseTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.transaction-manager.object-store.type", "jdbc")
            .assertException(failed -> assertThat(failed)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("TALLY0707 two transaction logs are configured")
                    .hasMessageContaining("remove the dependency tallystick-quarkus"));

    @Test
    void theBuildFails() {
        fail("the application was built");
    }
}
