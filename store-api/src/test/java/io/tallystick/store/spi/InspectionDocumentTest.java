package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/inspection.md has each kind of damage that there is, in the order of the code. */
class InspectionDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "inspection.md");
    private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+)` \\| .+ \\| .+ \\|");

    @Test
    void theTableOfDamagesIsThatOfTheCode() throws IOException {
        List<String> documented = Files.readAllLines(DOCUMENT).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1))
                .toList();

        assertThat(documented)
                .containsExactlyElementsOf(Arrays.stream(Damage.Kind.values())
                        .map(Damage.Kind::label)
                        .toList());
    }
}
