package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What docs/embedding-narayana.md says that no other test runs. */
class EmbeddingDocumentTest {
    private static final String CLASS_OF_ALL_ROLES = "com.arjuna.ats.arjuna.objectstore.objectStoreType";

    @Test
    void theModuleForWildFlyNamesEveryModuleOfTheJdkThatTheLibrariesUse() throws IOException {
        String descriptor = Files.readString(
                Path.of("../integrations/wildfly/module/src/main/module/modules/io/tallystick/main/module.xml"));
        Set<String> used = new TreeSet<>();
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("test-classes"))
                .flatMap(entry -> descriptors(Path.of(entry)))
                .filter(module -> module.name().startsWith("io.tallystick."))
                .flatMap(module -> module.requires().stream())
                .map(ModuleDescriptor.Requires::name)
                .filter(name -> name.startsWith("jdk."))
                .forEach(used::add);

        assertThat(used).contains("jdk.jfr", "jdk.unsupported");
        assertThat(used).allSatisfy(name -> assertThat(descriptor).contains("<module name=\"" + name + "\"/>"));
    }

    /** The three are run by RolesTest and ManifestTest. */
    @Test
    void everyPageChoosesTheStoreByTheSameThreeProperties() throws IOException {
        for (String page : new String[] {"README.md", "docs/embedding-narayana.md", "docs/tutorial.md"}) {
            String text = Files.readString(Path.of("..").resolve(page));
            int first = text.indexOf("\n-D" + CLASS_OF_ALL_ROLES + "=");
            assertThat(first).as(page).isPositive();
            int blockEnd = text.indexOf("```", first);
            assertThat(text.substring(first, blockEnd))
                    .as(page)
                    .startsWith("\n-D" + CLASS_OF_ALL_ROLES + "=" + TallystickObjectStore.class.getName()
                            + "\n-Dtallystick.store=journal\n-Dtallystick.directory=");
            assertThat(text).as(page).doesNotContain("five properties", "the five as");
        }
    }

    private static Stream<ModuleDescriptor> descriptors(Path entry) {
        try {
            return ModuleFinder.of(entry).findAll().stream().map(each -> each.descriptor());
        } catch (FindException noModule) {
            return Stream.empty();
        }
    }
}
