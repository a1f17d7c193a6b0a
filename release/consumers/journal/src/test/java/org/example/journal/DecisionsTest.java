package org.example.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionsTest {
    @Test
    void aDecisionIsThereAfterOpeningAgain(@TempDir Path directory) {
        Decisions.write(directory, "commit");

        assertEquals("commit", Decisions.read(directory));
    }

    @Test
    void theJournalIsAModule() {
        assertTrue(Decisions.class.getModule().isNamed());
        assertTrue(ModuleLayer.boot().findModule("io.tallystick.store.journal").isPresent());
    }
}
