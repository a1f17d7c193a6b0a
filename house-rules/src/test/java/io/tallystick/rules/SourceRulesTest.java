package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.rules.SyntaxTrees.TypeDeclaration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that the source text tells: sizes, names, and what must not stand there. */
class SourceRulesTest {
    private static final int MOST_COLUMNS = 120;
    private static final int MOST_LINES = 600;
    private static final int BOUND_OF_LINES = 900;
    /** Places above {@link #MOST_LINES} or {@link #MOST_TYPES}, all modules together. */
    private static final int MOST_LARGE_PLACES = 10;

    private static final int MOST_TYPES = 30;
    private static final int LINES_TO_ROUND_TO = 50;

    // Put together, so that this file does not break the rules that it holds.
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b|@Dis" + "abled");
    private static final Pattern SLEEP = Pattern.compile("\\bThread" + "\\.sleep\\(");
    private static final Pattern EMPTY_NAME = Pattern.compile(
            "\\w+(Impl|Utils?|Helper|Manager|Base)|Keeper|HouseThread|Judge|Ground|Held|Turn|Quiet|Order");

    private final Project project = Project.here();
    private final RuleLists lists = RuleLists.ofTheProject();

    @Test
    void sourcesOfEveryModuleAreFound() {
        assertThat(project.modules()).hasSizeGreaterThan(10);
        assertThat(project.mainSources())
                .extracting(SourceFile::module)
                .containsAll(project.shippedModules().stream()
                        .map(ProjectModule::name)
                        .toList());
        assertThat(project.testSources()).extracting(SourceFile::module).contains("house-rules", "store-api");
        assertThat(project.documents()).extracting(TextFile::path).contains("README.md", "docs/architecture.md");
    }

    @Test
    void anIntegrationIsReadButIsNoModuleOfTheCore(@TempDir Path root) throws IOException {
        Files.writeString(
                root.resolve("pom.xml"),
                "<project><modules><module>storage</module></modules><profiles><profile><modules>"
                        + "<module>integrations/a</module></modules></profile></profiles></project>");
        Path sources = root.resolve("integrations/a/runtime/src/main/java/a");
        Files.createDirectories(sources);
        Files.writeString(sources.resolve("A.java"), "package a;\n");

        Project made = Project.at(root);

        assertThat(made.modules()).extracting(ProjectModule::name).containsExactly("storage");
        assertThat(made.mainSources()).extracting(SourceFile::module).containsExactly("integrations/a/runtime");
        assertThat(made.mainSources()).extracting(SourceFile::place).containsExactly("integrations/a/runtime/A.java");
    }

    @Test
    void everyLineFitsInto120Columns() {
        lists.check(Rule.COLUMNS, longLines(project.sources()));
    }

    @Test
    void aLineOf121CharactersIsFoundAndOneOf120IsNot() {
        String fits = "x".repeat(119) + "\u00e9";
        SourceFile source = SourceFile.of("storage/src/test/java/A.java", fits, fits + "x");

        assertThat(longLines(List.of(source)).counts()).containsExactly(Map.entry("storage/A.java", 1));
        assertThat(longLines(List.of(source)).detailsOf("storage/A.java"))
                .containsExactly("storage/src/test/java/A.java:2");
    }

    @Test
    void aMainSourceFileOfMoreThan600LinesHasOneSubjectThatItsLineNames() {
        lists.check(Rule.FILE_SIZE, longFiles(project.mainSources(), MOST_LINES));
    }

    @Test
    void noMainSourceFileHasMoreThan900Lines() {
        assertThat(lists.countOf(Rule.FILE_BOUND))
                .as("lines that allow a file above the bound")
                .isZero();
        lists.check(Rule.FILE_BOUND, longFiles(project.mainSources(), BOUND_OF_LINES));
    }

    @Test
    void fewFilesAndPackagesAreLarge() {
        assertThat(lists.countOf(Rule.FILE_SIZE, Rule.PACKAGE_SIZE))
                .as("lines of file-size.txt and package-size.txt: split a file or a package before another one grows")
                .isLessThanOrEqualTo(MOST_LARGE_PLACES);
    }

    @Test
    void aFileOf901LinesIsFoundAndOneOf900IsNot() {
        SourceFile fits = SourceFile.of("storage/src/main/java/A.java", "x\n".repeat(899) + "x");
        SourceFile tooLong = SourceFile.of("storage/src/main/java/B.java", "x\n".repeat(900) + "x");

        assertThat(longFiles(List.of(fits, tooLong), BOUND_OF_LINES).counts())
                .containsExactly(Map.entry("storage/B.java", 950));
    }

    @Test
    void aFileOf601LinesIsFoundAndOneOf600IsNot() {
        SourceFile fits = SourceFile.of("storage/src/main/java/A.java", "x\n".repeat(599) + "x");
        SourceFile tooLong = SourceFile.of("storage/src/main/java/B.java", "x\n".repeat(600) + "x");

        assertThat(longFiles(List.of(fits, tooLong), MOST_LINES).counts())
                .containsExactly(Map.entry("storage/B.java", 650));
    }

    @Test
    void aPackageOfMoreThan30TypesHasOneSubjectThatItsLineNames() {
        lists.check(Rule.PACKAGE_SIZE, largePackages(mainTypes(SyntaxTrees.ofTheProject())));
    }

    @Test
    void aPackageOf31TypesIsFoundAndOneOf30IsNot() {
        String types = "class A { class Inner {} }" + " class B {}".repeat(29);
        SourceFile fits = SourceFile.of("storage/src/main/java/a/A.java", "package a;", types);
        SourceFile tooMany = SourceFile.of("storage/src/main/java/b/A.java", "package b;", types, "record C() {}");

        assertThat(largePackages(mainTypes(SyntaxTrees.of(List.of(fits, tooMany))))
                        .counts())
                .containsExactly(Map.entry("storage b", 31));
    }

    @Test
    void noTwoTypesOfAModuleHaveTheSameName() {
        lists.check(Rule.TWIN_NAMES, twins(SyntaxTrees.ofTheProject().types()));
    }

    @Test
    void aTestsTypeWithTheNameOfAnotherPackagesTypeIsFound() {
        SourceFile one = SourceFile.of("storage/src/main/java/a/Disk.java", "package a;", "class Disk { class X {} }");
        SourceFile two = SourceFile.of("storage/src/test/java/b/Disk.java", "package b;", "class Disk { class X {} }");
        SourceFile other = SourceFile.of("native/src/main/java/c/Disk.java", "package c;", "class Disk {}");

        assertThat(twins(SyntaxTrees.of(List.of(one, two, other)).types()).counts())
                .containsExactly(Map.entry("storage Disk", 1));
    }

    @Test
    void namesSayTheRole() {
        lists.check(Rule.TYPE_NAMES, emptyNames(SyntaxTrees.ofTheProject().types()));
    }

    @Test
    void aNameThatSaysNothingIsFound() {
        SourceFile source = SourceFile.of(
                "storage/src/test/java/A.java", "interface Disk {}", "class DiskImpl { enum Turn {} class Turner {} }");

        assertThat(emptyNames(SyntaxTrees.of(List.of(source)).types()).counts())
                .containsOnlyKeys("storage DiskImpl", "storage Turn");
    }

    @Test
    void nothingIsCaughtThatIsTooBroad() {
        lists.check(Rule.BROAD_CATCHES, SyntaxTrees.ofTheProject().broadCatches());
    }

    @Test
    void aBroadCatchIsFoundUnlessItThrowsWhatItCaught() {
        String[] lines = {
            "class A { void a() {",
            "try { a(); } catch (IllegalStateException | Error e) { throw e; } catch (Exception e) { if (x) throw e; }",
            "try { a(); } catch (final Throwable e) { a(); }",
            "try { a(); } catch (Exception e) { throw new IllegalStateException(e); }",
            "try { a(); } catch (IllegalStateException e) { a(); } finally { a(); }",
            "}}"
        };
        SourceFile main = SourceFile.of("storage/src/main/java/A.java", lines);
        SourceFile test = SourceFile.of("storage/src/test/java/B.java", lines);

        assertThat(SyntaxTrees.of(List.of(main, test)).broadCatches().counts())
                .containsExactly(Map.entry("storage/A.java", 3));
    }

    @Test
    void nothingIsLeftUnfinishedOrSwitchedOff() {
        lists.check(Rule.UNFINISHED, linesWith(UNFINISHED, project.sources()));
    }

    @Test
    void anUnfinishedLineIsFound() {
        SourceFile source =
                SourceFile.of("storage/src/main/java/A.java", "// TO" + "DO", "// todo list", "@Dis" + "abled");

        assertThat(linesWith(UNFINISHED, List.of(source)).counts()).containsExactly(Map.entry("storage/A.java", 2));
    }

    @Test
    void testsWaitForEventsAndNeverForTime() {
        lists.check(Rule.SLEEPS, linesWith(SLEEP, project.testSources()));
    }

    @Test
    void aSleepIsFound() {
        SourceFile source = SourceFile.of("storage/src/test/java/A.java", "Thread" + ".sleep(1);", "clock.sleep(1);");

        assertThat(linesWith(SLEEP, List.of(source)).counts()).containsExactly(Map.entry("storage/A.java", 1));
    }

    private static Findings longLines(Collection<SourceFile> sources) {
        Findings findings = new Findings();
        for (SourceFile source : sources) {
            List<String> lines = source.lines();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).codePointCount(0, lines.get(i).length()) > MOST_COLUMNS) {
                    findings.add(source.place(), source.path() + ":" + (i + 1));
                }
            }
        }
        return findings;
    }

    private static Findings longFiles(Collection<SourceFile> sources, int most) {
        Findings findings = new Findings();
        for (SourceFile source : sources) {
            int lines = source.lines().size();
            if (lines > most) {
                int rounded = (lines + LINES_TO_ROUND_TO - 1) / LINES_TO_ROUND_TO * LINES_TO_ROUND_TO;
                findings.add(source.place(), rounded, source.path() + " has " + lines + " lines");
            }
        }
        return findings;
    }

    private static List<TypeDeclaration> mainTypes(SyntaxTrees trees) {
        return trees.types().stream().filter(type -> type.source().isMain()).toList();
    }

    private static Findings largePackages(Collection<TypeDeclaration> types) {
        Findings findings = new Findings();
        topLevelBy(types, TypeDeclaration::packageName).forEach((place, members) -> {
            if (members.size() > MOST_TYPES) {
                findings.add(place, members.size(), members.size() + " types");
            }
        });
        return findings;
    }

    private static Findings twins(Collection<TypeDeclaration> types) {
        Findings findings = new Findings();
        topLevelBy(types, TypeDeclaration::name).forEach((place, twins) -> {
            Collection<String> packages =
                    twins.stream().map(TypeDeclaration::packageName).collect(Collectors.toCollection(TreeSet::new));
            if (packages.size() > 1) {
                findings.add(
                        place,
                        packages.size() - 1,
                        twins.stream().map(TypeDeclaration::position).collect(Collectors.joining(", ")));
            }
        });
        return findings;
    }

    private static Map<String, List<TypeDeclaration>> topLevelBy(
            Collection<TypeDeclaration> types, Function<TypeDeclaration, String> property) {
        return types.stream()
                .filter(TypeDeclaration::isTopLevel)
                .collect(Collectors.groupingBy(
                        type -> type.source().module() + " " + property.apply(type),
                        TreeMap::new,
                        Collectors.toList()));
    }

    private static Findings emptyNames(Collection<TypeDeclaration> types) {
        Findings findings = new Findings();
        for (TypeDeclaration type : types) {
            if (EMPTY_NAME.matcher(type.name()).matches()) {
                findings.add(type.source().module() + " " + type.name(), type.position());
            }
        }
        return findings;
    }

    private static Findings linesWith(Pattern pattern, Collection<SourceFile> sources) {
        Findings findings = new Findings();
        for (SourceFile source : sources) {
            List<String> lines = source.lines();
            for (int i = 0; i < lines.size(); i++) {
                if (pattern.matcher(lines.get(i)).find()) {
                    findings.add(
                            source.place(),
                            source.path() + ":" + (i + 1) + " " + lines.get(i).strip());
                }
            }
        }
        return findings;
    }
}
