package io.tallystick.rules;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitReference;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Rules that compiled classes tell: what they call, and what they keep. */
class ClassRulesTest {
    private static final Set<String> FILE_CLASSES = Set.of(
            Files.class.getName(),
            FileChannel.class.getName(),
            AsynchronousFileChannel.class.getName(),
            RandomAccessFile.class.getName());
    private static final Set<String> CLOCK_METHODS = Set.of(
            System.class.getName() + ".nanoTime",
            System.class.getName() + ".currentTimeMillis",
            Instant.class.getName() + ".now",
            LocalDate.class.getName() + ".now",
            LocalDateTime.class.getName() + ".now",
            OffsetDateTime.class.getName() + ".now",
            ZonedDateTime.class.getName() + ".now",
            Clock.class.getName() + ".systemUTC",
            Clock.class.getName() + ".systemDefaultZone",
            Clock.class.getName() + ".system",
            Date.class.getName() + ".<init>");

    /** A {@link File} that a library's interface wants is only a name; calling it is what is forbidden. */
    private static final ArchRule NO_FILES =
            noClasses().should().accessTargetWhere(describe("opens files", ClassRulesTest::isFileAccess));

    private static final ArchRule NO_CLOCKS =
            noClasses().should().accessTargetWhere(describe("asks a clock of the JDK", ClassRulesTest::isClockAccess));

    private static final ArchRule NO_STATIC_STATE = fields().that()
            .areStatic()
            .and(describe("were written by us", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
            .should()
            .beFinal();

    private static final MainClasses BREACHES =
            MainClasses.madeUp("house-rules", BreaksTheRules.class, KeepsTheRules.class, HoldsNames.class);

    private final MainClasses classes = MainClasses.ofTheProject();
    private final RuleLists lists = RuleLists.ofTheProject();

    @Test
    void classesOfEveryModuleAreFound() {
        assertThat(Project.here().shippedModules())
                .allSatisfy(module ->
                        assertThat(classes.of(module.name())).as(module.name()).isNotEmpty());
    }

    @Test
    void filesAreReachedThroughStorageAlone() {
        lists.check(Rule.DISK, classes.accessesAgainst(NO_FILES));
    }

    @Test
    void timeIsReadThroughAClockThatIsGiven() {
        lists.check(Rule.TIME, classes.accessesAgainst(NO_CLOCKS));
    }

    @Test
    void librariesPrintNothing() {
        lists.check(Rule.STANDARD_STREAMS, classes.accessesAgainst(NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS));
    }

    @Test
    void noStaticFieldChanges() {
        lists.check(Rule.STATIC_STATE, classes.fieldsAgainst(NO_STATIC_STATE));
    }

    @Test
    void nothingIsDeserialized() {
        lists.check(Rule.DESERIALIZATION, deserializations(classes));
    }

    @Test
    void anAccessToAFileIsFoundEvenInALambdaAndAFileThatIsANameIsNot() {
        assertThat(BREACHES.accessesAgainst(NO_FILES).counts())
                .containsExactly(Map.entry("house-rules/ClassRulesTest.java", 3));
    }

    @Test
    void aCallOfAClockIsFoundAndAMethodReferenceIsNot() {
        assertThat(BREACHES.accessesAgainst(NO_CLOCKS).counts())
                .containsExactly(Map.entry("house-rules/ClassRulesTest.java", 2));
    }

    @Test
    void aPrintedLineIsFoundAndSoIsAPrintedStackTrace() {
        assertThat(BREACHES.accessesAgainst(NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS)
                        .counts())
                .containsExactly(Map.entry("house-rules/ClassRulesTest.java", 2));
    }

    @Test
    void aStaticFieldThatChangesIsFound() {
        assertThat(BREACHES.fieldsAgainst(NO_STATIC_STATE).counts())
                .containsExactly(Map.entry("house-rules/ClassRulesTest.java", 1));
    }

    @Test
    void aDeserializationIsFound() {
        assertThat(deserializations(BREACHES).counts()).containsOnlyKeys("house-rules/ClassRulesTest.java");
    }

    private static Findings deserializations(MainClasses classes) {
        Findings findings = new Findings();
        for (JavaClass type : classes.all()) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                if (assignableTo(ObjectInputStream.class).test(dependency.getTargetClass())) {
                    findings.add(classes.placeOf(type), dependency.getDescription());
                }
            }
        }
        return findings;
    }

    private static boolean isFileAccess(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        return FILE_CLASSES.contains(owner)
                || owner.startsWith(File.class.getName()) && !owner.equals(FileNotFoundException.class.getName());
    }

    /** A method reference gives the clock of the JDK to code that takes any clock, and so is no breach. */
    private static boolean isClockAccess(JavaAccess<?> access) {
        return !(access instanceof JavaCodeUnitReference)
                && CLOCK_METHODS.contains(access.getTargetOwner().getName() + "." + access.getName());
    }

    /** What the rules must see. */
    private static final class BreaksTheRules {
        static int changes;

        static final Map<String, Runnable> PRINTS = Map.of("print", () -> System.out.println("x"));
        static final LongSupplier CLOCK = System::nanoTime;

        static List<String> read(Path path) throws IOException {
            changes++;
            Runnable make = () -> new File(path.toString()).delete();
            make.run();
            return Files.readAllLines(path);
        }

        static void print(FileNotFoundException exception) {
            exception.printStackTrace();
        }

        static long sum() {
            return System.currentTimeMillis() + Instant.now().toEpochMilli();
        }

        static Object read(InputStream source) throws IOException, ClassNotFoundException {
            return new ObjectInputStream(source).readObject();
        }
    }

    /** What the rules must not see. */
    private static final class KeepsTheRules {
        static final int CONSTANT = 1;

        static long elapsed(LongSupplier clock, Instant since) {
            return clock.getAsLong() - since.toEpochMilli();
        }
    }

    /** A file as a name. */
    private interface HoldsNames {
        File file();

        void look(File file) throws FileNotFoundException;
    }
}
