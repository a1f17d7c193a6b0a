package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The launcher builds the tool again when anything in its jar has changed. */
class LauncherTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULES = Pattern.compile("for module in ([a-z\\-\\s\\\\]+); do");
    private static final String PREFIX = "tallystick-";

    @Test
    void aChangeInAnyModuleOfTheJarBuildsItAgain() throws Exception {
        Matcher listed = MODULES.matcher(Files.readString(ROOT.resolve("tallystick")));
        assertThat(listed.find()).isTrue();
        Set<String> inJar = new TreeSet<>();
        collect("tool", inJar);

        assertThat(List.of(listed.group(1).replace("\\", " ").trim().split("\\s+")))
                .containsExactlyInAnyOrderElementsOf(inJar);
    }

    private static void collect(String module, Set<String> found) throws Exception {
        if (!found.add(module)) {
            return;
        }
        Element project = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(module).resolve("pom.xml").toFile())
                .getDocumentElement();
        NodeList dependencies = project.getElementsByTagName("dependency");
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            String artifact = text(dependency, "artifactId");
            if (artifact.startsWith(PREFIX)
                    && !text(dependency, "scope").equals("test")
                    && !text(dependency, "optional").equals("true")) {
                collect(artifact.substring(PREFIX.length()), found);
            }
        }
    }

    private static String text(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent().trim();
    }
}
