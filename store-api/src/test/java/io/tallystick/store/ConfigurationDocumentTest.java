package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/configuration.md has a row for each option, and says of it what the option says of itself. */
class ConfigurationDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "configuration.md");

    @Test
    void everyOptionHasItsRow() throws Exception {
        List<String> rows = Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.startsWith("| `tallystick."))
                .filter(line -> !line.startsWith("| `tallystick.reaper."))
                .toList();
        assertThat(rows)
                .containsExactlyElementsOf(StoreOption.own().stream()
                        .map(ConfigurationDocumentTest::row)
                        .toList());
    }

    private static String row(StoreOption<?> option) {
        String value = option.setting()
                .defaultText()
                .orElse(option == StoreOption.DIRECTORY ? "none, required where used" : "none");
        return "| `" + option.key() + "` | " + value + " | " + option.description() + " |";
    }
}
