package io.tallystick.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusUnitTest;
import io.tallystick.store.ObjectStore;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test without a directory leaves the application's own one to the development mode that runs beside it. */
class TestDirectoryTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest().withEmptyApplication();

    @Inject
    ObjectStore store;

    @Test
    void theStoreOfATestLiesInADirectoryOfTestsAndIsSmall() throws Exception {
        Path directory = store.description().directory().orElseThrow();
        assertThat(directory).isEqualTo(Path.of("target", "tallystick-test").toRealPath());
        try (var files = Files.list(directory)) {
            assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThan(32 << 20);
        }
    }
}
