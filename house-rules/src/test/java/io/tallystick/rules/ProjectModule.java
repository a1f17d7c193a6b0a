package io.tallystick.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A module of the core: one that every build has. Modules of a profile are no part of it.
 *
 * @param name its directory's name; its artifact is named tallystick-NAME
 */
record ProjectModule(String name, Path directory) {
    static final String ARTIFACT = "tallystick-";

    static List<ProjectModule> listedIn(Path root) {
        List<ProjectModule> modules = new ArrayList<>();
        for (Element list : children(parsed(root.resolve("pom.xml")).getDocumentElement(), "modules")) {
            for (Element module : children(list, "module")) {
                String name = module.getTextContent().strip();
                modules.add(new ProjectModule(name, root.resolve(name)));
            }
        }
        return List.copyOf(modules);
    }

    /** The modules of the profiles, named by their artifacts. Their POMs are only read: nothing of theirs is built. */
    static List<ProjectModule> ofIntegrations(Path root) {
        List<ProjectModule> modules = new ArrayList<>();
        try (Stream<Path> poms =
                Files.find(root.resolve("integrations"), 3, (path, attributes) -> path.endsWith("pom.xml"))) {
            for (Path pom : poms.sorted().toList()) {
                String artifact = textOf(parsed(pom).getDocumentElement(), "artifactId", ARTIFACT);
                modules.add(new ProjectModule(artifact.substring(ARTIFACT.length()), pom.getParent()));
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return List.copyOf(modules);
    }

    boolean hasMainSources() {
        return Files.isDirectory(directory.resolve("src/main/java"));
    }

    Path classes() {
        return directory.resolve("target/classes");
    }

    /** The modules of this project whose artifacts its pom.xml names among the dependencies, in one of some scopes. */
    Set<String> knownModules(Set<String> scopes) {
        Set<String> known = new TreeSet<>();
        for (Element child : children(parsed(directory.resolve("pom.xml")).getDocumentElement(), "dependencies")) {
            for (Element dependency : children(child, "dependency")) {
                String artifact = textOf(dependency, "artifactId", "");
                if (artifact.startsWith(ARTIFACT) && scopes.contains(textOf(dependency, "scope", "compile"))) {
                    known.add(artifact.substring(ARTIFACT.length()));
                }
            }
        }
        return known;
    }

    /** Whether it is a jar or another archive that is published: its pom.xml does not skip that. */
    boolean isProduct() {
        Element project = parsed(directory.resolve("pom.xml")).getDocumentElement();
        boolean isSkipped = children(project, "properties").stream()
                .anyMatch(properties ->
                        textOf(properties, "maven.deploy.skip", "false").equals("true"));
        // A POM that makes an archive does so with the plugin that assembles one, in a phase of its own.
        boolean isArchive = textOf(project, "packaging", "jar").equals("jar")
                || elements(project, "descriptor").size() > 0;
        return isArchive && !isSkipped;
    }

    /** The modules of this project to which its dependencyManagement gives a version. */
    Set<String> managedModules() {
        Set<String> managed = new TreeSet<>();
        for (Element management :
                children(parsed(directory.resolve("pom.xml")).getDocumentElement(), "dependencyManagement")) {
            for (Element artifact : elements(management, "artifactId")) {
                managed.add(artifact.getTextContent().strip().substring(ARTIFACT.length()));
            }
        }
        return managed;
    }

    /** The name that its pom.xml gives the jar's manifest, or an empty string. */
    String automaticModuleNameInPom() {
        List<Element> names =
                elements(parsed(directory.resolve("pom.xml")).getDocumentElement(), "Automatic-Module-Name");
        return names.isEmpty() ? "" : names.get(0).getTextContent().strip();
    }

    private static Document parsed(Path pom) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(pom.toFile());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        } catch (ParserConfigurationException | SAXException malformed) {
            throw new IllegalStateException(pom + " is not XML", malformed);
        }
    }

    private static List<Element> elements(Element within, String name) {
        List<Element> found = new ArrayList<>();
        NodeList nodes = within.getElementsByTagName(name);
        for (int i = 0; i < nodes.getLength(); i++) {
            found.add((Element) nodes.item(i));
        }
        return found;
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    private static String textOf(Element parent, String name, String otherwise) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? otherwise : found.get(0).getTextContent().strip();
    }
}
