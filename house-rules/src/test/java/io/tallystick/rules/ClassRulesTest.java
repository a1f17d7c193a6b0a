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
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
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
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
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

    /** Calls whose answer depends on a default; the overloads that take a locale, charset or zone do not. */
    private static final Set<String> CALLS_WITH_DEFAULTS = Set.of(
            "java.io.ByteArrayOutputStream.toString()",
            "java.io.InputStreamReader.<init>(java.io.InputStream)",
            "java.io.OutputStreamWriter.<init>(java.io.OutputStream)",
            "java.io.PrintStream.<init>(java.io.OutputStream)",
            "java.io.PrintStream.<init>(java.io.OutputStream, boolean)",
            "java.io.PrintStream.format(java.lang.String, [Ljava.lang.Object;)",
            "java.io.PrintStream.printf(java.lang.String, [Ljava.lang.Object;)",
            "java.io.PrintWriter.<init>(java.io.OutputStream)",
            "java.io.PrintWriter.<init>(java.io.OutputStream, boolean)",
            "java.io.PrintWriter.format(java.lang.String, [Ljava.lang.Object;)",
            "java.io.PrintWriter.printf(java.lang.String, [Ljava.lang.Object;)",
            "java.lang.String.<init>([B)",
            "java.lang.String.<init>([B, int, int)",
            "java.lang.String.format(java.lang.String, [Ljava.lang.Object;)",
            "java.lang.String.formatted([Ljava.lang.Object;)",
            "java.lang.String.getBytes()",
            "java.lang.String.toLowerCase()",
            "java.lang.String.toUpperCase()",
            "java.nio.charset.Charset.defaultCharset()",
            "java.text.Collator.getInstance()",
            "java.text.DecimalFormat.<init>(java.lang.String)",
            "java.text.MessageFormat.<init>(java.lang.String)",
            "java.text.MessageFormat.format(java.lang.String, [Ljava.lang.Object;)",
            "java.text.NumberFormat.getInstance()",
            "java.text.SimpleDateFormat.<init>(java.lang.String)",
            "java.time.LocalDate.now()",
            "java.time.LocalDateTime.now()",
            "java.time.LocalTime.now()",
            "java.time.ZoneId.systemDefault()",
            "java.time.ZonedDateTime.now()",
            "java.time.format.DateTimeFormatter.ofPattern(java.lang.String)",
            "java.util.Formatter.<init>()",
            "java.util.Formatter.<init>(java.lang.Appendable)",
            "java.util.Locale.getDefault()",
            "java.util.TimeZone.getDefault()");

    private static final Set<String> CLASSES_WITH_DEFAULTS =
            Set.of(FileReader.class.getName(), FileWriter.class.getName(), Scanner.class.getName());

    /** A {@link File} that a library's interface wants is only a name; calling it is what is forbidden. */
    private static final ArchRule NO_FILES =
            noClasses().should().accessTargetWhere(describe("opens files", ClassRulesTest::isFileAccess));

    private static final ArchRule NO_CLOCKS =
            noClasses().should().accessTargetWhere(describe("asks a clock of the JDK", ClassRulesTest::isClockAccess));

    private static final ArchRule NO_THREADS =
            noClasses().should().accessTargetWhere(describe("makes a thread", ClassRulesTest::isMakingThread));

    private static final ArchRule NO_DEFAULTS = noClasses()
            .should()
            .accessTargetWhere(describe("takes a locale, charset or zone of the process", ClassRulesTest::usesDefault));

    private static final ArchRule NO_STATIC_STATE = fields().that()
            .areStatic()
            .and(describe("were written by us", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
            .should()
            .beFinal();

    private static final MainClasses BREACHES = MainClasses.madeUp(
            "house-rules", BreaksTheRules.class, IsAThread.class, KeepsTheRules.class, HoldsNames.class);

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
    void threadsAreMadeByTheTwoFactoriesAlone() {
        lists.check(Rule.THREADS, classes.accessesAgainst(NO_THREADS));
    }

    @Test
    void noDefaultOfTheProcessChangesAnAnswer() {
        lists.check(Rule.DEFAULTS, classes.accessesAgainst(NO_DEFAULTS));
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
    void aThreadAndASubclassAreFoundAndSoAreAReferenceAndThreadsOfAnExecutor() {
        assertThat(BREACHES.accessesAgainst(NO_THREADS).counts())
                .containsExactly(Map.entry("house-rules/ClassRulesTest.java", 5));
    }

    @Test
    void aNumberInTheDigitsOfTheLocaleIsFoundAndSoAreItsLettersAndTheCharsetOfTheProcess() {
        assertThat(BREACHES.accessesAgainst(NO_DEFAULTS).counts())
                .containsExactly(Map.entry("house-rules/ClassRulesTest.java", 8));
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

    private static boolean usesDefault(JavaAccess<?> access) {
        return CLASSES_WITH_DEFAULTS.contains(access.getTargetOwner().getName())
                || CALLS_WITH_DEFAULTS.contains(access.getTarget().getFullName());
    }

    /** A method reference gives the clock of the JDK to code that takes any clock, and so is no breach. */
    private static boolean isClockAccess(JavaAccess<?> access) {
        return !(access instanceof JavaCodeUnitReference)
                && CLOCK_METHODS.contains(access.getTargetOwner().getName() + "." + access.getName());
    }

    /** Also the constructor of a subclass, and an executor that is not given a factory. */
    private static boolean isMakingThread(JavaAccess<?> access) {
        String target = access.getTarget().getFullName();
        return target.startsWith(Thread.class.getName() + ".<init>(")
                || target.startsWith(Timer.class.getName() + ".<init>(")
                || target.startsWith(Executors.class.getName() + ".")
                || target.startsWith(ForkJoinPool.class.getName() + ".")
                || target.matches("java\\.util\\.concurrent\\.(Scheduled)?ThreadPoolExecutor\\.<init>\\(.*")
                        && !target.contains(ThreadFactory.class.getName());
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

        static List<Thread> threads(Runnable task) {
            Function<Runnable, Thread> maker = Thread::new;
            Executors.newCachedThreadPool().execute(task);
            new Timer().cancel();
            return List.of(maker.apply(task), new Thread(task), new IsAThread());
        }

        static long sum() {
            return System.currentTimeMillis() + Instant.now().toEpochMilli();
        }

        static String text(int number, String name) throws IOException {
            UnaryOperator<String> upper = String::toUpperCase;
            String text = String.format("%06d", number) + "%d".formatted(number) + upper.apply(name);
            try (Scanner scanner = new Scanner(new String(name.getBytes(), StandardCharsets.UTF_8))) {
                return text + scanner.next();
            }
        }

        static Object read(InputStream source) throws IOException, ClassNotFoundException {
            return new ObjectInputStream(source).readObject();
        }
    }

    /** The constructor makes a thread. */
    private static final class IsAThread extends Thread {}

    /** What the rules must not see. */
    private static final class KeepsTheRules {
        static final int CONSTANT = 1;

        static String text(int number, String name) {
            return String.format(Locale.ROOT, "%06d", number) + name.toUpperCase(Locale.ROOT);
        }

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
