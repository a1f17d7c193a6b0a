package io.tallystick.rules;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the build made of a module, as Java's module system sees it.
 *
 * <p>A jar is read where Maven has put one on the class path of this test, which is when the build goes as far as
 * {@code package}; then every jar of that module is read. With {@code mvn test} there is none, or one of an earlier
 * build: then the module's target/classes and the manifest entries in its pom.xml say what its jar will say.
 *
 * @param place the module, and the jar's classifier if it has one
 * @param descriptor the compiled module-info, if there is one
 * @param automaticName the Automatic-Module-Name, or an empty string
 */
record BuiltModule(String place, Optional<ModuleDescriptor> descriptor, String automaticName) {
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));

    private static final Pattern HAS_CLASSES = Pattern.compile(".*(?<!-sources|-javadoc)\\.jar");

    /** What is built of a module: one for each jar. */
    static List<BuiltModule> of(ProjectModule module) {
        boolean isPackaged = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .map(Path::of)
                .anyMatch(entry -> entry.startsWith(module.directory().resolve("target"))
                        && entry.toString().endsWith(".jar"));
        if (!isPackaged) {
            return List.of(ofDirectory(module));
        }
        List<BuiltModule> built = new ArrayList<>();
        try (Stream<Path> files = Files.list(module.directory().resolve("target"))) {
            for (Path jar : files.sorted().toList()) {
                String name = jar.getFileName().toString();
                if (name.startsWith(ProjectModule.ARTIFACT + module.name())
                        && HAS_CLASSES.matcher(name).matches()) {
                    built.add(ofJar(module.name(), jar));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return built;
    }

    static BuiltModule ofJar(String module, Path jar) {
        String classifier = jar.getFileName().toString().replaceAll(".*(?:SNAPSHOT|\\d)(-[a-z-]+)?\\.jar", "$1");
        try (JarFile file = new JarFile(jar.toFile())) {
            Attributes manifest = file.getManifest().getMainAttributes();
            String automaticName = Optional.ofNullable(manifest.getValue("Automatic-Module-Name"))
                    .orElse("");
            return new BuiltModule(module + classifier, descriptorAt(jar), automaticName);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(jar.toString(), unreadable);
        }
    }

    private static BuiltModule ofDirectory(ProjectModule module) {
        Path compiled = module.classes().resolve("module-info.class");
        Optional<ModuleDescriptor> descriptor = Optional.empty();
        if (Files.exists(compiled)) {
            try (InputStream bytes = Files.newInputStream(compiled)) {
                descriptor = Optional.of(ModuleDescriptor.read(bytes));
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
        return new BuiltModule(module.name(), descriptor, module.automaticModuleNameInPom());
    }

    /** The descriptor of a jar that has a module-info of its own. */
    private static Optional<ModuleDescriptor> descriptorAt(Path jar) {
        return ModuleFinder.of(jar).findAll().stream()
                .map(ModuleReference::descriptor)
                .filter(descriptor -> !descriptor.isAutomatic())
                .findFirst();
    }

    /** The libraries on the class path of this test that have a module-info: the names of their modules. */
    static Set<String> namedLibraries() {
        Set<String> names = new TreeSet<>();
        ModuleFinder.ofSystem()
                .findAll()
                .forEach(system -> names.add(system.descriptor().name()));
        for (String entry : CLASS_PATH.split(File.pathSeparator)) {
            if (entry.endsWith(".jar")) {
                descriptorOfLibrary(Path.of(entry)).ifPresent(descriptor -> names.add(descriptor.name()));
            }
        }
        return names;
    }

    /**
     * Which libraries, and modules of ours, that classes of a module use are no named modules.
     *
     * @param named our modules that have a module-info
     */
    static Set<String> unnamedRequirements(MainClasses classes, String module, Set<String> named) {
        Map<String, String> libraries = new TreeMap<>();
        Set<String> unnamed = new TreeSet<>();
        for (JavaClass type : classes.of(module)) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                Optional<String> ours = classes.moduleOf(target);
                if (ours.isPresent()) {
                    ours.filter(other -> !other.equals(module) && !named.contains(other))
                            .ifPresent(unnamed::add);
                } else if (!target.isPrimitive()) {
                    libraries.putIfAbsent(target.getPackageName(), target.getName());
                }
            }
        }
        libraries.values().forEach(name -> unnamedLibraryOf(name).ifPresent(unnamed::add));
        return unnamed;
    }

    private static Optional<String> unnamedLibraryOf(String className) {
        URL found = ClassLoader.getSystemResource(className.replace('.', '/') + ".class");
        if (found == null) {
            return Optional.of("a library that is not on the class path, with " + className);
        }
        String url = found.toString();
        if (!url.startsWith("jar:")) {
            return Optional.empty(); // "jrt:", a module of the JDK
        }
        Path jar = Path.of(URI.create(url.substring("jar:".length(), url.indexOf("!/"))));
        return descriptorOfLibrary(jar).isPresent()
                ? Optional.empty()
                : Optional.of(jar.getFileName().toString());
    }

    private static Optional<ModuleDescriptor> descriptorOfLibrary(Path jar) {
        try {
            return descriptorAt(jar);
        } catch (FindException noName) {
            return Optional.empty(); // not even an automatic module can be made of it
        }
    }
}
