package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The arrows between modules. The table in docs/architecture.md is the rule: a module knows the modules that its row
 * names, and they stand above it in the table.
 */
class ArrowsTest {
    private static final String DOCUMENT = "docs/architecture.md";
    private static final String OURSELVES = "house-rules";
    private static final Set<String> SHIPPED_SCOPES = Set.of("compile", "provided", "runtime");
    private static final Set<String> ALL_SCOPES = Set.of("compile", "provided", "runtime", "test");
    /** Programs know the libraries, and no module knows them. */
    private static final Set<String> PROGRAMS = Set.of("tool", "durability", "benchmarks", OURSELVES);

    private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+)` \\| ([^|]*)\\|");
    private static final Pattern MODULE = Pattern.compile("`([a-z-]+)`");

    private final Project project = Project.here();
    private final RuleLists lists = RuleLists.ofTheProject();

    /** That a module uses another. */
    private record Arrow(String from, String to, String where) {}

    @Test
    void everyModuleHasARowInTheDocument() {
        assertThat(documentedArrows().keySet())
                .containsExactlyInAnyOrderElementsOf(project.shippedModules().stream()
                        .map(ProjectModule::name)
                        .toList());
    }

    @Test
    void modulesKnowOnlyThoseBelowThem() {
        List<Arrow> arrows = arrowsOfClasses(MainClasses.ofTheProject());
        assertThat(arrows).hasSizeGreaterThan(100);
        arrows.addAll(arrowsOfPoms(SHIPPED_SCOPES));

        lists.check(Rule.ARROWS, forbidden(arrows, documentedArrows()));
    }

    @Test
    void noModuleKnowsAProgramNotEvenInItsTests() {
        assertThat(arrowsOfPoms(ALL_SCOPES))
                .filteredOn(arrow -> !arrow.from().equals(OURSELVES) && PROGRAMS.contains(arrow.to()))
                .filteredOn(arrow ->
                        !(arrow.from().equals("durability") && arrow.to().equals("tool")))
                .isEmpty();
        assertThat(arrowsOfPoms(ALL_SCOPES))
                .filteredOn(arrow -> arrow.from().equals(OURSELVES))
                .extracting(Arrow::to)
                .containsExactlyInAnyOrderElementsOf(project.shippedModules().stream()
                        .map(ProjectModule::name)
                        .toList());
    }

    @Test
    void metricsKnowTheContractAndNotWhatStoresAreMadeOf() {
        assertThat(MainClasses.ofTheProject().of("micrometer"))
                .isNotEmpty()
                .flatExtracting(JavaClass::getDirectDependenciesFromSelf)
                .extracting(dependency -> dependency.getTargetClass().getPackageName())
                .contains("io.tallystick.store")
                .doesNotContain("io.tallystick.store.spi");
    }

    @Test
    void anArrowThatTheTableDoesNotHaveIsFoundAndSoIsOneThatPointsUp() {
        Map<String, Set<String>> table = documentedArrows(
                "| `store-api` | |\n| `store-file` | `store-api`, `tool` |\n| `tool` | `store-api`, `store-file` |\n");
        List<Arrow> arrows = List.of(
                new Arrow("store-file", "store-api", "A.java:1"),
                new Arrow("store-api", "store-file", "B.java:2"),
                new Arrow("store-file", "tool", "C.java:3"));

        assertThat(forbidden(arrows, table).counts()).containsOnlyKeys("store-api -> store-file", "store-file -> tool");
    }

    @Test
    void arrowsAreReadFromClassesAndPoms() {
        assertThat(arrowsOfClasses(MainClasses.ofTheProject()))
                .anyMatch(
                        arrow -> arrow.from().equals("store-file") && arrow.to().equals("storage"));
        assertThat(arrowsOfPoms(SHIPPED_SCOPES))
                .anyMatch(
                        arrow -> arrow.from().equals("store-file") && arrow.to().equals("storage"))
                .noneMatch(
                        arrow -> arrow.from().equals("store-file") && arrow.to().equals("testkit"));
    }

    private Map<String, Set<String>> documentedArrows() {
        return documentedArrows(project.documents().stream()
                .filter(document -> document.path().equals(DOCUMENT))
                .findFirst()
                .orElseThrow()
                .text());
    }

    private static Map<String, Set<String>> documentedArrows(String document) {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        document.lines().forEach(line -> {
            Matcher row = ROW.matcher(line);
            if (row.lookingAt()) {
                Set<String> known = new LinkedHashSet<>();
                MODULE.matcher(row.group(2)).results().forEach(module -> known.add(module.group(1)));
                assertThat(arrows.put(row.group(1), known))
                        .as("rows of " + row.group(1))
                        .isNull();
            }
        });
        return arrows;
    }

    private static Findings forbidden(List<Arrow> arrows, Map<String, Set<String>> table) {
        List<String> order = new ArrayList<>(table.keySet());
        Findings findings = new Findings();
        for (Arrow arrow : arrows) {
            boolean isNamed = table.getOrDefault(arrow.from(), Set.of()).contains(arrow.to());
            boolean pointsUp = order.indexOf(arrow.to()) > order.indexOf(arrow.from());
            if (!isNamed || pointsUp) {
                findings.add(arrow.from() + " -> " + arrow.to(), arrow.where());
            }
        }
        return findings;
    }

    private static List<Arrow> arrowsOfClasses(MainClasses classes) {
        List<Arrow> arrows = new ArrayList<>();
        for (JavaClass type : classes.all()) {
            String from = classes.moduleOf(type).orElseThrow();
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                classes.moduleOf(dependency.getTargetClass())
                        .filter(to -> !to.equals(from))
                        .ifPresent(to -> arrows.add(new Arrow(from, to, dependency.getDescription())));
            }
        }
        return arrows;
    }

    private List<Arrow> arrowsOfPoms(Set<String> scopes) {
        List<Arrow> arrows = new ArrayList<>();
        for (ProjectModule module : project.modules()) {
            for (String known : module.knownModules(scopes)) {
                if (!known.equals(module.name())) {
                    arrows.add(new Arrow(module.name(), known, module.name() + "/pom.xml"));
                }
            }
        }
        return arrows;
    }
}
