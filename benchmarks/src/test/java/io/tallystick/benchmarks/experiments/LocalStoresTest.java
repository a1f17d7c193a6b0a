package io.tallystick.benchmarks.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.subject.Subject;
import org.junit.jupiter.api.Test;

class LocalStoresTest {
    @Test
    void aMisspeltStoreIsAMistakeThatNamesTheNearestOne() {
        assertThatThrownBy(() -> LocalStores.named("inmemory,jurnal"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("'jurnal'")
                .hasMessageContaining("did you mean");
    }

    @Test
    void aStoreThatNeedsAServerIsRefusedBeforeAnythingIsMeasured() {
        assertThatThrownBy(() -> LocalStores.named("file,postgresql"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("postgresql needs a server");
    }

    @Test
    void storesAreThoseThatWereNamed() {
        assertThat(LocalStores.named("file,inmemory")).extracting(Subject::name).containsExactly("inmemory", "file");
    }
}
