package io.tallystick.benchmarks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The modules know only those below them, and the rules for all libraries hold. This module knows everybody. */
class ArchitectureTest {
    private static final String ROOT = "io.tallystick.";
    private static final JavaClasses LIBRARIES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.tallystick")
            .that(not(resideInAPackage(ROOT + "benchmarks..")));

    /** A module, its package, and the packages of the project that it may use beside its own. */
    enum Module {
        STORE_API("store", Set.of("store", "store.spi")),
        STORAGE("storage", Set.of()),
        REAPER("reaper", Set.of()),
        STORE_INMEMORY("store.inmemory", Set.of("store", "store.spi", "storage")),
        STORE_FILE("store.file", Set.of("store", "store.spi", "storage")),
        STORE_JOURNAL("store.journal", Set.of("store", "store.spi", "storage")),
        NATIVE("nativeio", Set.of("storage")),
        NARAYANA("narayana", Set.of("store", "store.spi", "reaper")),
        MICROMETER("micrometer", Set.of("store", "reaper")),
        TESTKIT("testkit", Set.of("store", "store.spi", "storage"));

        private final String name;
        private final Set<String> known;

        Module(String name, Set<String> known) {
            this.name = name;
            this.known = known;
        }

        /** The API is the packages of stores that belong to no store in particular. */
        private DescribedPredicate<JavaClass> classes() {
            return this == STORE_API
                    ? resideInAnyPackage(ROOT + "store", ROOT + "store.spi")
                    : resideInAPackage(ROOT + name + "..");
        }

        private DescribedPredicate<JavaClass> strangers() {
            DescribedPredicate<JavaClass> friends = classes();
            for (String friend : known) {
                friends = friends.or(resideInAPackage(ROOT + friend));
            }
            return resideInAPackage(ROOT + ".").and(not(friends)).as("classes of modules that it may not know");
        }

        private ArchRule rule() {
            return noClasses()
                    .that(classes())
                    .should()
                    .dependOnClassesThat(strangers())
                    .as(this + " may know " + known + " and itself");
        }
    }

    @ParameterizedTest
    @EnumSource
    void modulesKnowOnlyThoseBelowThem(Module module) {
        module.rule().allowEmptyShould(true).check(LIBRARIES);
    }

    @Test
    void everyClassBelongsToAModule() {
        assertThat(LIBRARIES).allSatisfy(type -> assertThat(Module.values())
                .filteredOn(module -> module.classes().test(type))
                .as(type.getName())
                .hasSize(1));
    }

    /** The class path of this test has no class of durability, so only the build's own files can tell. */
    @Test
    void nobodyBuildsOnTheProgramsThatKnowEverybody() throws IOException {
        Path root = Path.of("").toAbsolutePath().getParent();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.filter(each -> Files.isRegularFile(each.resolve("pom.xml")))
                    .toList()) {
                for (String program : List.of("durability", "benchmarks", "tool")) {
                    // The bill of materials lists what is for users, and builds on nothing.
                    if (!module.endsWith(program) && !module.endsWith("bom")) {
                        assertThat(module.resolve("pom.xml"))
                                .content()
                                .doesNotContain("<artifactId>tallystick-" + program + "</artifactId>");
                    }
                }
            }
        }
    }

    @Test
    void nobodyDeserializes() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ObjectInputStream.class))
                .check(LIBRARIES);
    }

    @Test
    void librariesDoNotPrint() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(LIBRARIES);
    }

    @Test
    void librariesHaveNoStaticStateThatChanges() {
        fields().that()
                .areStatic()
                .and(describe(
                        "were written by us", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .should()
                .beFinal()
                .check(LIBRARIES);
    }

    @Test
    void filesAreReachedThroughStorageAlone() {
        // The test kit looks at stores from outside, as tests do.
        filesRule(not(resideInAnyPackage(ROOT + "storage..", ROOT + "nativeio..", ROOT + "testkit.."))
                        .and(not(describe("read the configuration file", type -> Stream.of(
                                        "store.StoreConfiguration", "reaper.ReaperOptions")
                                .anyMatch(reader -> type.getName().startsWith(ROOT + reader))))))
                .check(LIBRARIES);
    }

    @Test
    void theseRulesCanFail() {
        JavaClasses ourselves = new ClassFileImporter()
                .importClasses(BreaksTheRules.class, RunDirectory.class, ObjectInputStream.class, System.class);

        assertThatThrownBy(
                        () -> filesRule(resideInAPackage(ROOT + "benchmarks")).check(ourselves))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("RunDirectory");
        assertThatThrownBy(() -> NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(
                        ourselves.that(assignableTo(BreaksTheRules.class))))
                .isInstanceOf(AssertionError.class);
    }

    /** A {@link File} that another library's interface wants is only a name; calling it is what is forbidden. */
    private static ArchRule filesRule(DescribedPredicate<JavaClass> who) {
        Set<String> doors = Set.of(
                File.class.getName(),
                Files.class.getName(),
                FileChannel.class.getName(),
                FileInputStream.class.getName(),
                FileOutputStream.class.getName(),
                RandomAccessFile.class.getName());
        return noClasses()
                .that(who)
                .should()
                .accessTargetWhere(targetOwner(describe("opens files", type -> doors.contains(type.getName()))));
    }

    /** What {@link #theseRulesCanFail} must see. */
    private static final class BreaksTheRules {
        static final Map<String, Runnable> BREACHES = Map.of("print", () -> System.out.println("x"));
    }
}
