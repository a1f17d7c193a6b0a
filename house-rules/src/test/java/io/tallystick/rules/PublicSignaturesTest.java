package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A change of what users can call is seen when it is made: the signatures of every published library are in {@code
 * signatures/MODULE.txt}. docs/releasing.md tells when a change is allowed.
 */
class PublicSignaturesTest {
    /** The system property that has the files written anew: {@code write}. */
    private static final String PROPERTY = "house-rules.signatures";

    private static final String DIRECTORY = "house-rules/src/test/resources/signatures";
    /** Programs: users call their commands, and not their classes. */
    private static final Set<String> PROGRAMS = Set.of("tool");

    private final Project project = Project.here();
    private final MainClasses classes = MainClasses.ofTheProject();

    @Test
    void whatUsersCanCallIsWhatTheFilesSay() throws Exception {
        boolean isWriting = System.getProperty(PROPERTY, "").equals("write");
        Path directory = project.root().resolve(DIRECTORY);
        List<String> problems = new ArrayList<>();
        List<String> files = new ArrayList<>();
        for (ProjectModule module : libraries()) {
            Path file = directory.resolve(module.name() + ".txt");
            files.add(file.getFileName().toString());
            List<String> found = signaturesOf(module);
            if (isWriting) {
                Files.createDirectories(directory);
                Files.write(file, found);
            }
            List<String> committed = Files.exists(file) ? Files.readAllLines(file) : List.of();
            problems.addAll(differences(module.name(), committed, found));
        }
        for (String file : namesIn(directory)) {
            if (!files.contains(file)) {
                problems.add(file + ": no library has this name: remove the file");
            }
        }
        if (!problems.isEmpty()) {
            fail(
                    "What users can call is not what %s says:%n%s%nIf the change is meant, write the files anew with"
                            + " -D%s=write, and commit them with the change. docs/releasing.md tells what may change.",
                    DIRECTORY, String.join(System.lineSeparator(), problems), PROPERTY);
        }
    }

    @Test
    void everyLibraryHasSomethingToCall() throws Exception {
        for (ProjectModule module : libraries()) {
            assertThat(signaturesOf(module)).as(module.name()).isNotEmpty();
        }
    }

    @Test
    void aDifferenceIsShownWithItsType() {
        List<String> committed = List.of("class A", "    int a()", "    int b()", "class B", "    int c()");
        List<String> found = List.of("class A", "    int b()", "    long a()", "class C");

        assertThat(differences("m", committed, found))
                .containsExactly(
                        "m, class A:",
                        "  - int a()",
                        "  + long a()",
                        "m, class B:",
                        "  - class B",
                        "  - int c()",
                        "m, class C:",
                        "  + class C");
        assertThat(differences("m", committed, committed)).isEmpty();
    }

    @Test
    void signaturesAreWhatACallerSees() {
        assertThat(PublicSignatures.of(PublicSignaturesTest.class)).isEmpty();
        assertThat(PublicSignatures.of(Shown.class)).isEmpty();
        assertThat(PublicSignatures.of(Stream.Builder.class))
                .containsExactly(
                        "public interface java.util.stream.Stream$Builder<T>"
                                + " extends java.util.function.Consumer<T>",
                        "    public default java.util.stream.Stream$Builder<T> add(T)",
                        "    public java.util.stream.Stream<T> build()",
                        "    public void accept(T)");
        assertThat(PublicSignatures.of(java.util.concurrent.Callable.class))
                .containsExactly(
                        "public interface java.util.concurrent.Callable<V>",
                        "    public V call() throws java.lang.Exception");
        assertThat(PublicSignatures.of(java.lang.annotation.ElementType.class))
                .contains(
                        "public enum java.lang.annotation.ElementType",
                        "    public static final java.lang.annotation.ElementType TYPE")
                .noneMatch(line -> line.contains("$VALUES"));
        assertThat(PublicSignatures.of(StringBuilder.class))
                .as("inherited from a class that nobody can name")
                .contains("    public int length()")
                .noneMatch(line -> line.contains("toString"));
        assertThat(PublicSignatures.of(java.nio.file.Path.class))
                .contains("    public static java.nio.file.Path of(java.lang.String, java.lang.String...)");
    }

    /** Not public outside of this package, because the class around it is not. */
    public static final class Shown implements Supplier<String> {
        @Override
        public String get() {
            return "";
        }
    }

    private List<ProjectModule> libraries() {
        List<ProjectModule> libraries = project.shippedModules().stream()
                .filter(ProjectModule::isProduct)
                .filter(module -> !PROGRAMS.contains(module.name()))
                .filter(this::hasTypes)
                .toList();
        assertThat(libraries).extracting(ProjectModule::name).contains("store-api", "narayana", "testkit");
        return libraries;
    }

    /** False for an artifact that only names others. */
    private boolean hasTypes(ProjectModule module) {
        return classes.of(module.name()).stream().anyMatch(type -> !isPackageInfo(type));
    }

    private static boolean isPackageInfo(JavaClass type) {
        return type.getSimpleName().equals("package-info");
    }

    private List<String> signaturesOf(ProjectModule module) throws ClassNotFoundException {
        BuiltModule built = BuiltModule.of(module).stream()
                .filter(jar -> jar.place().equals(module.name()))
                .findFirst()
                .orElseThrow();
        Predicate<String> isExported = exportedFrom(built.descriptor());
        List<String> lines = new ArrayList<>();
        for (JavaClass type : classes.of(module.name()).stream()
                .sorted(Comparator.comparing(JavaClass::getName))
                .toList()) {
            if (isExported.test(type.getPackageName()) && !isPackageInfo(type)) {
                lines.addAll(PublicSignatures.of(
                        Class.forName(type.getName(), false, getClass().getClassLoader())));
            }
        }
        return lines;
    }

    /** A jar without a module-info exports every package. */
    private static Predicate<String> exportedFrom(Optional<ModuleDescriptor> descriptor) {
        if (descriptor.isEmpty()) {
            return everything -> true;
        }
        Set<String> exported = descriptor.get().exports().stream()
                .filter(export -> !export.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet());
        return exported::contains;
    }

    /** The lines that only one side has, below their type. */
    private static List<String> differences(String module, List<String> committed, List<String> found) {
        Set<String> before = withTypes(committed);
        Set<String> after = withTypes(found);
        List<String> differences = new ArrayList<>();
        String last = "";
        for (String line : Stream.concat(before.stream(), after.stream())
                .filter(one -> !(before.contains(one) && after.contains(one)))
                .sorted(Comparator.comparing(PublicSignaturesTest::typeOf))
                .toList()) {
            String type = typeOf(line);
            if (!type.equals(last)) {
                differences.add(module + ", " + type + ":");
                last = type;
            }
            differences.add((before.contains(line) ? "  - " : "  + ") + line.substring(type.length() + 1));
        }
        return differences;
    }

    private static String typeOf(String lineWithType) {
        return lineWithType.substring(0, lineWithType.indexOf('\n'));
    }

    /** Each line after its type's line, so that equal members of two types are two. */
    private static Set<String> withTypes(List<String> lines) {
        Set<String> result = new LinkedHashSet<>();
        String type = "";
        for (String line : lines) {
            if (!line.startsWith(" ")) {
                type = line;
            }
            result.add(type + "\n" + line.strip());
        }
        return result;
    }

    private static List<String> namesIn(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
