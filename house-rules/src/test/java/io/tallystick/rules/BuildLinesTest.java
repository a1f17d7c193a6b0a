package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The lines of the documents that build Tallystick work where no artifact of it exists, and build what the page names.
 * {@code .ci/build-lines} runs the same lines in a clone with an empty local repository.
 */
class BuildLinesTest {
    private static final Pattern LINE = Pattern.compile("(?m)^\\$ (mvn .*\\binstall\\b(?:.*\\\\\\n)*.*)$");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>tallystick-([a-z0-9-]+)</artifactId>");
    private static final Pattern MODULES = Pattern.compile(" -pl (\\S+)");
    private static final Set<String> SCOPES = Set.of("compile", "provided", "runtime", "test", "import");

    private final Project project = Project.here();
    private final Map<String, ProjectModule> modules = Stream.concat(
                    project.modules().stream(), ProjectModule.ofIntegrations(project.root()).stream())
            .collect(Collectors.toMap(ProjectModule::name, Function.identity(), (one, other) -> one));

    @Test
    void everyLineBuildsFromNothing() {
        List<String> problems = new ArrayList<>();
        project.documents().forEach(document -> problems.addAll(problemsOf(document)));
        assertThat(problems).isEmpty();
    }

    @Test
    void thereAreLines() {
        assertThat(project.documents())
                .filteredOn(document -> !linesOf(document).isEmpty())
                .hasSizeGreaterThan(4);
    }

    @Test
    void aLineThatCannotWorkIsFound() {
        String line = "$ mvn -q install -DskipTests -pl bom,narayana -am\n";
        assertThat(problemsOf(page(line))).isEmpty();
        assertThat(problemsOf(page(line.replace("-DskipTests", "-Dmaven.test.skip"))))
                .singleElement()
                .asString()
                .contains("test jar");
        assertThat(problemsOf(page(line.replace(" -am", ""))))
                .singleElement()
                .asString()
                .contains("-am");
        assertThat(problemsOf(page(line.replace("narayana", "narayanas"))))
                .singleElement()
                .asString()
                .contains("narayanas");
        assertThat(problemsOf(page(line.replace("narayana", "integrations/quarkus/runtime"))))
                .singleElement()
                .asString()
                .contains("profile");
    }

    @Test
    void anArtifactThatNoLineBuildsIsFound() {
        String dependency = "<artifactId>tallystick-tool</artifactId>\n";
        assertThat(problemsOf(page(dependency))).singleElement().asString().contains("tallystick-tool");
        assertThat(problemsOf(page(dependency + "$ mvn -q install -DskipTests \\\n    -pl tool -am\n")))
                .isEmpty();
        assertThat(problemsOf(page("<artifactId>tallystick-storage</artifactId>\n"
                        + "$ mvn -q install -DskipTests -pl tool -am\n")))
                .as("what the tool needs is built too")
                .isEmpty();
    }

    private static TextFile page(String text) {
        return new TextFile("docs/page.md", text);
    }

    private List<String> problemsOf(TextFile document) {
        List<String> problems = new ArrayList<>();
        Set<String> built = new TreeSet<>();
        for (String line : linesOf(document)) {
            if (line.contains("-Dmaven.test.skip")) {
                problems.add(
                        document.path() + ": makes no test jar, which other modules need; say -DskipTests: " + line);
            }
            if (!line.contains(" -am")) {
                problems.add(document.path() + ": needs modules that are not built; say -am: " + line);
            }
            for (String path : pathsOf(line)) {
                ProjectModule module = modules.values().stream()
                        .filter(each -> each.directory().equals(project.root().resolve(path)))
                        .findFirst()
                        .orElse(null);
                if (module == null) {
                    problems.add(document.path() + ": there is no module " + path + ": " + line);
                } else {
                    built.addAll(withDependencies(module));
                }
                if (path.startsWith("integrations/") && !line.contains(" -P" + profileOf(path) + " ")) {
                    problems.add(document.path() + ": " + path + " needs the profile " + profileOf(path) + ": " + line);
                }
            }
        }
        ARTIFACT.matcher(document.text())
                .results()
                .map(artifact -> artifact.group(1))
                .distinct()
                .filter(artifact -> !built.contains(artifact))
                .forEach(artifact ->
                        problems.add(document.path() + ": no line of the page builds tallystick-" + artifact));
        return problems;
    }

    private static List<String> linesOf(TextFile document) {
        return LINE.matcher(document.text())
                .results()
                .map((MatchResult line) -> line.group(1).replaceAll("\\\\\\n\\s*", ""))
                .toList();
    }

    private static List<String> pathsOf(String line) {
        return MODULES.matcher(line)
                .results()
                .flatMap(list -> Arrays.stream(list.group(1).split(",")))
                .toList();
    }

    private static String profileOf(String path) {
        return path.split("/")[1].replace("spring-boot", "spring");
    }

    private Set<String> withDependencies(ProjectModule module) {
        Set<String> all = new TreeSet<>();
        Deque<ProjectModule> open = new ArrayDeque<>(List.of(module));
        while (!open.isEmpty()) {
            ProjectModule next = open.poll();
            if (all.add(next.name())) {
                next.knownModules(SCOPES).stream()
                        .map(modules::get)
                        .filter(each -> each != null)
                        .forEach(open::add);
            }
        }
        return all;
    }
}
