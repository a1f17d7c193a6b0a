package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user with a module path meets: a module-info where all requirements have one, and a stable name elsewhere. */
class ModuleInfoTest {
    private final MainClasses classes = MainClasses.ofTheProject();
    private final RuleLists lists = RuleLists.ofTheProject();

    @TempDir
    private Path temporary;

    @Test
    void everyJarWithoutAModuleInfoHasAName() {
        lists.check(Rule.MODULE_NAME, withoutName(built()));
    }

    @Test
    void noTwoJarsHaveTheSameName() {
        assertThat(shared(built())).isEmpty();
    }

    @Test
    void aNameOfTwoJarsIsFound() {
        assertThat(shared(List.of(
                        explicit("a", "java.base"),
                        new BuiltModule("b", Optional.empty(), "a"),
                        new BuiltModule("c-all", Optional.empty(), "a"))))
                .containsExactly("a: a, b");
    }

    @Test
    void aModuleInfoIsWhereEveryRequirementIsANamedModule() {
        List<BuiltModule> built = built();
        Set<String> explicit = new TreeSet<>();
        Set<String> named = BuiltModule.namedLibraries();
        for (BuiltModule module : built) {
            module.descriptor().ifPresent(descriptor -> {
                explicit.add(module.place());
                named.add(descriptor.name());
            });
        }
        assertThat(explicit).contains("store-api", "storage");

        lists.check(
                Rule.MODULE_INFO,
                misplaced(
                        built,
                        named,
                        module -> classes.of(module).isEmpty()
                                ? Set.of("no classes of its own")
                                : BuiltModule.unnamedRequirements(classes, module, explicit)));
    }

    @Test
    void aJarWithoutAnyNameIsFound() throws IOException {
        BuiltModule nameless = BuiltModule.ofJar("a", jar("tallystick-a-1.0.jar", ""));
        BuiltModule named = BuiltModule.ofJar("b", jar("tallystick-b-1.0-SNAPSHOT-tests.jar", "io.tallystick.b"));

        assertThat(named).isEqualTo(new BuiltModule("b-tests", Optional.empty(), "io.tallystick.b"));
        assertThat(withoutName(List.of(nameless, named)).counts()).containsExactly(Map.entry("a", 1));
    }

    @Test
    void aModuleInfoTooManyIsFoundAndSoIsOneThatIsMissing() {
        BuiltModule requiresAutomatic = explicit("a", "java.base", "an.automatic.module");
        BuiltModule requiresNamed = explicit("b", "java.base", "a.named.module");
        BuiltModule couldHaveOne = new BuiltModule("c", Optional.empty(), "c");
        BuiltModule canHaveNone = new BuiltModule("d", Optional.empty(), "d");

        Findings found = misplaced(
                List.of(requiresAutomatic, requiresNamed, couldHaveOne, canHaveNone),
                Set.of("java.base", "a.named.module"),
                module -> module.equals("d") ? Set.of("old.jar") : Set.of());

        assertThat(found.counts()).containsOnlyKeys("a", "c");
    }

    @Test
    void requirementsAreReadFromClasses() {
        assertThat(BuiltModule.namedLibraries()).contains("java.base", "org.junit.jupiter.api");
        assertThat(BuiltModule.unnamedRequirements(classes, "store-api", Set.of()))
                .isEmpty();
        assertThat(BuiltModule.unnamedRequirements(classes, "store-file", Set.of("store-api")))
                .containsExactly("storage");
        assertThat(BuiltModule.unnamedRequirements(classes, "narayana", Set.of("store-api", "reaper")))
                .anyMatch(library -> library.startsWith("narayana-jta"));
    }

    private static List<BuiltModule> built() {
        List<BuiltModule> built = new ArrayList<>();
        for (ProjectModule module : Project.here().shippedModules()) {
            List<BuiltModule> jars = BuiltModule.of(module);
            assertThat(jars).as(module.name()).isNotEmpty();
            built.addAll(jars);
        }
        return built;
    }

    private static Findings withoutName(Collection<BuiltModule> modules) {
        Findings findings = new Findings();
        for (BuiltModule module : modules) {
            if (module.descriptor().isEmpty() && module.automaticName().isEmpty()) {
                findings.add(module.place(), "neither a module-info nor an Automatic-Module-Name");
            }
        }
        return findings;
    }

    /** The names of two jars that may be on one module path; the tool in one jar stands alone. */
    private static List<String> shared(Collection<BuiltModule> modules) {
        Map<String, Set<String>> places = new TreeMap<>();
        for (BuiltModule module : modules) {
            if (!module.place().endsWith("-all")) {
                String name = module.descriptor().map(ModuleDescriptor::name).orElse(module.automaticName());
                places.computeIfAbsent(name, first -> new TreeSet<>()).add(module.place());
            }
        }
        return places.entrySet().stream()
                .filter(entry -> entry.getValue().size() > 1)
                .map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                .toList();
    }

    /**
     * Where a module-info stands and must not, or the reverse.
     *
     * @param named every named module there is
     * @param unnamedRequirements of a module of ours, by its directory's name
     */
    private static Findings misplaced(
            Collection<BuiltModule> modules, Set<String> named, Function<String, Set<String>> unnamedRequirements) {
        Findings findings = new Findings();
        for (BuiltModule module : modules) {
            if (module.descriptor().isPresent()) {
                module.descriptor().get().requires().stream()
                        .map(ModuleDescriptor.Requires::name)
                        .filter(name -> !named.contains(name))
                        .forEach(name ->
                                findings.add(module.place(), "requires " + name + ", which is not a named module"));
            } else if (unnamedRequirements.apply(module.place()).isEmpty()) {
                findings.add(module.place(), "has no module-info, and every requirement is a named module");
            }
        }
        return findings;
    }

    private static BuiltModule explicit(String name, String... requires) {
        ModuleDescriptor.Builder builder = ModuleDescriptor.newModule(name);
        for (String required : requires) {
            builder.requires(required);
        }
        return new BuiltModule(name, Optional.of(builder.build()), "");
    }

    private Path jar(String name, String automaticName) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        if (!automaticName.isEmpty()) {
            manifest.getMainAttributes().putValue("Automatic-Module-Name", automaticName);
        }
        Path jar = temporary.resolve(name);
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, manifest)) {
            entries.putNextEntry(new JarEntry("a/A.class"));
        }
        return jar;
    }
}
