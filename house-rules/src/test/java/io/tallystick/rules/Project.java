package io.tallystick.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The files of the project, read once for all rules.
 *
 * @param root the directory of the parent's pom.xml
 * @param modules of the core, as the parent's pom.xml lists them
 * @param sources every Java source file of every module, and of the integrations, which are no part of the core
 * @param documents every Markdown file
 */
record Project(Path root, List<ProjectModule> modules, List<SourceFile> sources, List<TextFile> documents) {
    private static final Set<String> NOT_OURS = Set.of("target", "results");
    private static final String INTEGRATIONS = "integrations";

    /** The project that this test belongs to. */
    static Project here() {
        return Here.PROJECT;
    }

    /** Reads the project whose parent's pom.xml lies in a directory. */
    static Project at(Path root) {
        List<ProjectModule> modules = ProjectModule.listedIn(root);
        List<SourceFile> sources = new ArrayList<>();
        for (ProjectModule module : modules) {
            for (TextFile file : filesBelow(root, module.directory().resolve("src"), ".java")) {
                sources.add(new SourceFile(module.name(), file));
            }
        }
        for (TextFile file : filesBelow(root, root.resolve(INTEGRATIONS), ".java")) {
            String path = file.path();
            int end = path.indexOf("/src/");
            if (end >= 0) {
                sources.add(new SourceFile(path.substring(0, end), file));
            }
        }
        return new Project(root, modules, List.copyOf(sources), filesBelow(root, root, ".md"));
    }

    ProjectModule module(String name) {
        return modules.stream()
                .filter(module -> module.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the parent's pom.xml lists no module " + name));
    }

    /** The modules that have code to ship. */
    List<ProjectModule> shippedModules() {
        return modules.stream().filter(ProjectModule::hasMainSources).toList();
    }

    List<SourceFile> mainSources() {
        return sources.stream().filter(SourceFile::isMain).toList();
    }

    List<SourceFile> testSources() {
        return sources.stream().filter(source -> !source.isMain()).toList();
    }

    /** All texts that a person reads: sources and documents. */
    Collection<TextFile> texts() {
        List<TextFile> texts = new ArrayList<>(documents);
        sources.forEach(source -> texts.add(source.file()));
        return texts;
    }

    private static List<TextFile> filesBelow(Path root, Path directory, String suffix) {
        List<TextFile> files = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return files;
        }
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path entered, BasicFileAttributes attributes) {
                    String name = entered.getFileName().toString();
                    boolean isSkipped = !entered.equals(directory) && (NOT_OURS.contains(name) || name.startsWith("."));
                    return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    if (file.toString().endsWith(suffix)) {
                        files.add(new TextFile(
                                root.relativize(file).toString().replace('\\', '/'), Files.readString(file)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return List.copyOf(files);
    }

    /** Reads the project when the first rule asks for it. */
    private static final class Here {
        static final Project PROJECT = at(Path.of("").toAbsolutePath().getParent());
    }
}
