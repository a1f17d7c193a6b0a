package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published, and only that, has a version in the BOM. */
class ProductsTest {
    private final Project project = Project.here();

    @Test
    void theBomNamesTheProductsAndNothingElse() {
        Set<String> products = Stream.concat(
                        project.modules().stream(), ProjectModule.ofIntegrations(project.root()).stream())
                .filter(ProjectModule::isProduct)
                .map(ProjectModule::name)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(project.module("bom").managedModules()).isEqualTo(products);
        assertThat(products)
                .contains("store-api", "narayana", "testkit", "tool", "spring-boot-starter", "quarkus", "wildfly")
                .doesNotContain("durability", "benchmarks", "house-rules", "bom", "release");
    }

    /** It leaves out what is no product by name, and Maven refuses a name that no profile has brought in. */
    @Test
    void theRehearsalOfAReleaseHasEveryProfileThatAddsModules() throws IOException {
        String pom = Files.readString(project.root().resolve("pom.xml"));
        Set<String> profiles = Pattern.compile("<profile>\\s*<id>([^<]+)</id>\\s*<modules>")
                .matcher(pom)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Matcher rehearsed = Pattern.compile("(?m)^profiles=(.*)$")
                .matcher(Files.readString(project.root().resolve("release/rehearse")));

        assertThat(rehearsed.find()).isTrue();
        assertThat(profiles).contains("spring", "jcstress");
        assertThat(rehearsed.group(1).split(",")).containsAll(profiles);
    }
}
