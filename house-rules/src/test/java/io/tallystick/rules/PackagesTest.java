package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.cycle_detection.Cycle;
import com.tngtech.archunit.library.cycle_detection.CycleDetector;
import com.tngtech.archunit.library.cycle_detection.Edge;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Packages depend on each other in one direction, and each lies in one module. */
class PackagesTest {
    private static final String OURS = "io.tallystick.";

    private final MainClasses classes = MainClasses.ofTheProject();
    private final RuleLists lists = RuleLists.ofTheProject();

    /** That a package uses another, and one dependency that shows it. */
    private record PackageUse(String from, String to, String where) implements Edge<String> {
        @Override
        public String getOrigin() {
            return from;
        }

        @Override
        public String getTarget() {
            return to;
        }
    }

    @Test
    void packagesDoNotDependOnEachOtherInACircle() {
        lists.check(Rule.CYCLES, cycles(uses(classes)));
    }

    @Test
    void aCircleOfThreePackagesIsFound() {
        List<PackageUse> uses = List.of(
                new PackageUse("b", "c", "B"),
                new PackageUse("c", "a", "C"),
                new PackageUse("a", "b", "A"),
                new PackageUse("a", "d", "A"));

        assertThat(cycles(uses).counts()).containsExactly(Map.entry("a -> b -> c", 1));
    }

    @Test
    void usesOfPackagesAreReadFromClasses() {
        assertThat(uses(classes))
                .anyMatch(use -> use.from().equals("io.tallystick.store.file")
                        && use.to().equals("io.tallystick.storage"));
    }

    @Test
    void aPackageLiesInOneModule() {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (JavaClass type : classes.all()) {
            modules.computeIfAbsent(type.getPackageName(), first -> new TreeSet<>())
                    .add(classes.moduleOf(type).orElseThrow());
        }

        lists.check(Rule.SPLIT_PACKAGES, split(modules));
    }

    @Test
    void aPackageOfTwoModulesIsFound() {
        assertThat(split(Map.of("a", Set.of("storage"), "b", new TreeSet<>(Set.of("storage", "native"))))
                        .counts())
                .containsExactly(Map.entry("b", 1));
    }

    private static Findings split(Map<String, Set<String>> modules) {
        Findings findings = new Findings();
        modules.forEach((name, owners) -> {
            if (owners.size() > 1) {
                findings.add(name, owners.size() - 1, "in " + owners);
            }
        });
        return findings;
    }

    private static Collection<PackageUse> uses(MainClasses classes) {
        Map<String, PackageUse> uses = new LinkedHashMap<>();
        for (JavaClass type : classes.all()) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String from = type.getPackageName();
                String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (to.startsWith(OURS) && !to.equals(from)) {
                    uses.putIfAbsent(from + ">" + to, new PackageUse(from, to, dependency.getDescription()));
                }
            }
        }
        return uses.values();
    }

    private static Findings cycles(Collection<PackageUse> uses) {
        Set<String> packages = new LinkedHashSet<>();
        uses.forEach(use -> packages.addAll(List.of(use.from(), use.to())));
        Findings findings = new Findings();
        for (Cycle<PackageUse> cycle : CycleDetector.detectCycles(packages, uses)) {
            List<PackageUse> edges = new ArrayList<>(cycle.getEdges());
            String first = Collections.min(edges.stream().map(PackageUse::from).toList());
            while (!edges.get(0).from().equals(first)) {
                Collections.rotate(edges, -1);
            }
            String circle =
                    String.join(" -> ", edges.stream().map(PackageUse::from).toList());
            findings.add(circle, edges.get(0).where());
            edges.stream().skip(1).forEach(edge -> findings.add(circle, 0, edge.where()));
        }
        return findings;
    }
}
