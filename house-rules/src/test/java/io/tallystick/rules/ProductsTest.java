package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
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
}
