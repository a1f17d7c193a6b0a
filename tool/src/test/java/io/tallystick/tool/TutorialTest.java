package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.Tutorial.Command;
import io.tallystick.tool.Tutorial.CreateFile;
import io.tallystick.tool.Tutorial.Step;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Does what docs/tutorial.md tells its reader to do, in a shell, and compares what is printed line by line. Maven
 * alone is played: what it would install is taken from this build, and the reader's project is compiled against the
 * artifacts that its POM names and no others.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
class TutorialTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DOCUMENT = ROOT.resolve("docs/tutorial.md");
    private static final Pattern MAVEN_MODULES = Pattern.compile("mvn .*-pl (\\S+) -am");

    /** What a dependency on one of ours brings along. */
    private static final List<String> TRANSITIVE = List.of(
            "tallystick-store-api",
            "tallystick-storage",
            "tallystick-store-log",
            "tallystick-narayana-logs",
            "tallystick-reaper");

    @TempDir
    private Path home;

    @Test
    void aReaderWhoDoesAsToldSeesWhatIsPrinted() throws Exception {
        prepareHome();
        try (Terminal terminal = new Terminal(home.toRealPath(), environment())) {
            for (Step step : Tutorial.stepsOf(DOCUMENT)) {
                if (step instanceof CreateFile file) {
                    Path path = terminal.directory().resolve(file.path());
                    assertThat(path).doesNotExist();
                    Files.writeString(path, file.content());
                } else if (step instanceof Command command && command.line().startsWith("mvn ")) {
                    playMaven(command, terminal.directory());
                } else if (step instanceof Command command) {
                    run(command, terminal);
                }
            }
            assertThat(terminal.directory().resolve("ObjectStore"))
                    .as("a store of Narayana's own, for a role that was not configured")
                    .doesNotExist();
        }
    }

    @Test
    void theProjectOfTheReaderNamesWhatThisBuildMakes() throws Exception {
        Element pom = pomOfTheReader();
        String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
        String parent = Files.readString(ROOT.resolve("pom.xml"));

        for (Element dependency : elements(pom, "dependency")) {
            String artifact = text(dependency, "artifactId");
            String version = text(dependency, "version");
            if (artifact.equals("tallystick-bom")) {
                assertThat(bom).contains("<artifactId>tallystick-bom</artifactId>\n  <version>" + version + "<");
            } else if (artifact.startsWith("tallystick-")) {
                assertThat(bom).contains("<artifactId>" + artifact + "</artifactId>");
                assertThat(version).as(artifact).isEmpty();
            } else if (artifact.equals("narayana-jta")) {
                assertThat(parent).contains("<narayana-jta.version>" + version + "<");
            } else {
                assertThat(jarsOf(artifact)).as(artifact).anyMatch(jar -> jar.endsWith("-" + version + ".jar"));
            }
        }
    }

    /** A home directory with a clone in it, whose command-line tool is the one of this build. */
    private void prepareHome() throws IOException {
        Path clone = Files.createDirectories(home.resolve("src/tallystick"));
        script(clone.resolve("tallystick"), "-cp '" + String.join(":", classPath()) + "' io.tallystick.tool.Main");
        script(Files.createDirectories(home.resolve("bin")).resolve("java"), "");
    }

    private static void script(Path path, String arguments) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        // Short lives: start quickly, compile little.
        Files.writeString(
                path,
                "#!/bin/sh\nexec '" + java + "' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx256m "
                        + (Runtime.version().feature() >= 22 ? "--enable-native-access=ALL-UNNAMED " : "") + arguments
                        + " \"$@\"\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
    }

    private Map<String, String> environment() throws IOException {
        Path here = home.toRealPath();
        return Map.of("HOME", here.toString(), "PATH", here.resolve("bin") + ":" + System.getenv("PATH"));
    }

    private void run(Command command, Terminal terminal) throws IOException, InterruptedException {
        int atLeast = command.isInBackground() ? command.output().size() : 0;
        List<String> printed = terminal.type(withShortMeasurements(command.line()), atLeast).stream()
                .filter(line -> !isOfSurroundings(line))
                .map(this::shape)
                .toList();
        String expected = command.output().stream().map(TutorialTest::pattern).collect(Collectors.joining());

        assertThat(printed.stream().map(line -> line + "\n").collect(Collectors.joining()))
                .as(command.line())
                .matches(Pattern.compile(expected));
    }

    /** What is printed has the same form after a tenth of the reader's time. */
    private static String withShortMeasurements(String line) {
        return line.replace("--millis 500", "--millis 50");
    }

    /**
     * What depends on where the test runs: the shell's word on a killed process, a later JDK's on libraries, ours on
     * tmpfs.
     */
    private static boolean isOfSurroundings(String line) {
        return line.matches(".*\\bKilled\\b.*java @.*|WARNING: .*|TALLY010[123] .*");
    }

    private String shape(String line) {
        try {
            return shapeOfId(line.replace(home.toRealPath().toString(), "/home/you"));
        } catch (IOException gone) {
            throw new AssertionError(gone);
        }
    }

    /** A line without the identifiers of a run. */
    private static String shapeOfId(String line) {
        return line.replaceAll("[0-9a-f]{50,}", "#");
    }

    private static String pattern(String expected) {
        if (expected.equals("...")) {
            return "(?:.*\n)*";
        }
        return Stream.of(shapeOfId(expected).split("(?<!\\.)\\.{3}(?!\\.)", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*"))
                + "\n";
    }

    private void playMaven(Command command, Path directory) throws Exception {
        Matcher modules = MAVEN_MODULES.matcher(command.line());
        if (modules.matches()) {
            for (String module : modules.group(1).split(",")) {
                assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<module>" + module + "</module>");
            }
        } else {
            assertThat(command.line()).isEqualTo("mvn -q package");
            compile(directory);
        }
        assertThat(command.output()).isEmpty();
    }

    /** Compiles the project, and makes a jar that stands for those that Maven would copy. */
    private void compile(Path project) throws Exception {
        Set<String> artifacts = new TreeSet<>(TRANSITIVE);
        for (Element dependency : elements(pomOfTheReader(), "dependency")) {
            artifacts.add(text(dependency, "artifactId"));
        }
        artifacts.remove("tallystick-bom");
        List<String> jars = new ArrayList<>();
        for (String artifact : artifacts) {
            List<String> found = jarsOf(artifact);
            assertThat(found).as(artifact).hasSize(1);
            jars.addAll(found);
        }
        Path classes = Files.createDirectories(project.resolve("target/classes"));
        List<String> arguments = new ArrayList<>(
                List.of("--release", "17", "-Xlint:all", "-Werror", "-cp", String.join(":", jars), "-d", "" + classes));
        try (Stream<Path> sources = Files.list(project.resolve("src/main/java"))) {
            sources.forEach(source -> arguments.add(source.toString()));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        jars.stream()
                                .map(jar -> Path.of(jar).toUri().toString())
                                .collect(Collectors.joining(" ")));
        Path library = Files.createDirectories(project.resolve("target/lib")).resolve("all.jar");
        try (OutputStream out = Files.newOutputStream(library)) {
            new JarOutputStream(out, manifest).close();
        }
    }

    /** The places on the class path of this test that hold an artifact, of our own from this build. */
    private static List<String> jarsOf(String artifact) {
        String module = artifact.replaceFirst("^tallystick-", "");
        return classPath().stream()
                .filter(place -> !place.endsWith("/test-classes") && !place.endsWith("-tests.jar"))
                .filter(place -> artifact.equals(module)
                        ? Path.of(place).getFileName().toString().startsWith(artifact + "-")
                        : place.startsWith(ROOT.resolve(module).resolve("target") + "/"))
                .toList();
    }

    private static List<String> classPath() {
        return List.of(System.getProperty("java.class.path").split(":"));
    }

    private static Element pomOfTheReader() throws Exception {
        String pom = Tutorial.stepsOf(DOCUMENT).stream()
                .filter(step -> step instanceof CreateFile file && file.path().endsWith("pom.xml"))
                .map(step -> ((CreateFile) step).content())
                .findFirst()
                .orElseThrow();
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(pom.getBytes(StandardCharsets.UTF_8)));
        return document.getDocumentElement();
    }

    private static List<Element> elements(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    private static String text(Element parent, String name) {
        NodeList children = parent.getChildNodes();
        for (int i = 0; i < children.getLength(); i++) {
            if (children.item(i).getNodeName().equals(name)) {
                return children.item(i).getTextContent();
            }
        }
        return "";
    }
}
