package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done while recovery does nothing else. */
class RecoveryTurnTest {
    @TempDir
    private Path directory;

    /** What was told not to be done must not be done later. */
    @Test
    void anActionThatWasGivenUpDoesNotRunWhenRecoveryGoesOn() {
        String printed = ChildJvm.of(TurnProcess.class)
                .in(directory)
                .withProperties(NarayanaProcess.properties(StoreKind.FILE.settings(), directory.resolve("store")))
                .endsWith(0);

        assertThat(printed)
                .contains("hanging: NO_TURN", "suspended: NO_TURN", "resumed: RUN", "thrown: of the action", "runs: 2")
                .as("an Error ends neither the scan nor the thread of recovery")
                .contains("error: of the action", "after an error: RUN")
                .contains("interrupted: INTERRUPTED")
                .as("recovery that ends meanwhile does not hide what was done")
                .contains("terminated: RUN");
    }
}
