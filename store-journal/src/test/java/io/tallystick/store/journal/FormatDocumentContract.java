package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of an engine's format is the authority: its tables, dump and golden store are those of the code. */
public abstract class FormatDocumentContract {
    /** A row of a table: the field's name, its offset, and its size where the table has one. */
    protected static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| (\\d+) \\|(?: (\\d+) \\|)?.*");

    /** The page. */
    protected final Path document;
    /** A copy of the golden store, in which a test may write. */
    protected Path golden;

    private final String resource;
    private final List<Class<?>> formats;

    @TempDir
    Path temporary;

    /**
     * @param page the page's file, in docs/format
     * @param resource the golden store, among the resources of the tests
     * @param formats the classes whose constants {@code ..._OFFSET} the tables list
     */
    protected FormatDocumentContract(String page, String resource, Class<?>... formats) {
        this.document = Path.of("..", "docs", "format", page);
        this.resource = resource;
        this.formats = List.of(formats);
    }

    /** What the golden store holds. */
    protected abstract Map<StateKey, StateImage> images() throws IOException;

    /** What opens it, except that it is expected to exist. */
    protected abstract StoreConfiguration.Builder configuration();

    /** The dump of the page, without the lines around it. */
    protected abstract String dump() throws IOException;

    @BeforeEach
    void copyGoldenStore() throws Exception {
        golden = GoldenFiles.copy(resource, temporary.resolve("golden"));
    }

    @Test
    void everyFieldOfTheTablesIsWhereTheCodeHasIt() throws Exception {
        Map<String, Integer> documented = new TreeMap<>();
        for (String line : Files.readAllLines(document)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                documented.put(row.group(1) + "_OFFSET", Integer.parseInt(row.group(2)));
            }
        }
        Map<String, Integer> coded = new TreeMap<>();
        for (Class<?> format : formats) {
            for (Field field : format.getDeclaredFields()) {
                boolean isField = !field.getName().equals("DATA_OFFSET"); // that is where the header ends
                if (isField && field.getName().endsWith("_OFFSET")) {
                    field.setAccessible(true);
                    coded.put(field.getName(), field.getInt(null));
                }
            }
        }
        assertThat(documented).isEqualTo(coded);
    }

    @Test
    void theDumpOfTheDocumentIsTheGoldenFile() throws Exception {
        assertThat(Files.readString(document)).contains("```\n" + dump() + "```");
    }

    @Test
    void theGoldenStoreIsOpenedAndHoldsWhatWasWritten() throws Exception {
        try (ObjectStore store = open()) {
            assertThat(store.statistics().records()).isEqualTo(images().size());
            images().forEach((key, image) -> {
                assertThat(store.statusOf(key)).isEqualTo(image.status());
                store.reveal(key);
                assertThat(store.read(key).orElse(null)).isEqualTo(image.committed());
                assertThat(store.readShadow(key).orElse(null)).isEqualTo(image.shadow());
            });
            StateKey removed = StateKey.of("/T", ObjectId.of(new byte[] {8}));
            assertThat(store.statusOf(removed)).isEqualTo(StateStatus.ABSENT);
            store.write(removed, new byte[1], Durability.FORCED);
        }
        try (ObjectStore store = open()) {
            assertThat(store.statistics().records()).isEqualTo(images().size() + 1);
        }
    }

    private ObjectStore open() {
        return JournalStores.open(configuration().set(StoreOption.EXPECT_EXISTING, true));
    }
}
