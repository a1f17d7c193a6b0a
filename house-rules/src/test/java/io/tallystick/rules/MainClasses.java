package io.tallystick.rules;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The compiled classes of all modules, as Maven left them in target/classes, and the module of each.
 *
 * <p>Classes for a later Java are left out: an older JDK does not compile them, and the lists are the same on every
 * JDK. The rules of source text see them. So are classes that JMH's annotation processor has written.
 */
final class MainClasses {
    private static final ImportOption WRITTEN_BY_US =
            location -> !location.contains("/META-INF/versions/") && !location.contains("/jmh_generated/");

    private final Map<String, List<JavaClass>> classesByModule = new LinkedHashMap<>();
    private final Map<String, String> modulesByClass = new LinkedHashMap<>();
    private final JavaClasses all;

    private MainClasses(JavaClasses all, Map<Path, String> modulesByDirectory) {
        this.all = all;
        for (JavaClass type : all) {
            Path file = Path.of(type.getSource().orElseThrow().getUri());
            modulesByDirectory.forEach((directory, module) -> {
                if (file.startsWith(directory)) {
                    classesByModule
                            .computeIfAbsent(module, first -> new ArrayList<>())
                            .add(type);
                    modulesByClass.put(type.getName(), module);
                }
            });
        }
    }

    /** The classes of this project. */
    static MainClasses ofTheProject() {
        return Here.CLASSES;
    }

    /** Classes that a test has made up, as if they lay in one module. */
    static MainClasses madeUp(String module, Class<?>... types) {
        JavaClasses classes = new ClassFileImporter().importClasses(types);
        Map<Path, String> modules = new LinkedHashMap<>();
        modules.put(Path.of("").toAbsolutePath().getRoot(), module);
        return new MainClasses(classes, modules);
    }

    private static MainClasses of(Project project) {
        Map<Path, String> modules = new LinkedHashMap<>();
        for (ProjectModule module : project.shippedModules()) {
            if (!Files.isDirectory(module.classes())) {
                throw new IllegalStateException(
                        module.classes() + " is missing: compile " + module.name() + " first, with mvn -am");
            }
            modules.put(module.classes(), module.name());
        }
        return new MainClasses(
                new ClassFileImporter().withImportOption(WRITTEN_BY_US).importPaths(modules.keySet()), modules);
    }

    JavaClasses all() {
        return all;
    }

    /** The classes of one module. */
    List<JavaClass> of(String module) {
        return classesByModule.getOrDefault(module, List.of());
    }

    /** The module of one of our classes; empty for a class of a library or the JDK. */
    Optional<String> moduleOf(JavaClass type) {
        return Optional.ofNullable(
                modulesByClass.get(type.getBaseComponentType().getName()));
    }

    /** How the lists of exceptions name the file of a class. */
    String placeOf(JavaClass type) {
        JavaClass outermost = type;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        return moduleOf(type).orElseThrow() + "/" + outermost.getSimpleName() + ".java";
    }

    /** Where a rule of ArchUnit about accesses is broken. */
    Findings accessesAgainst(ArchRule rule) {
        Findings findings = new Findings();
        EvaluationResult result = rule.allowEmptyShould(true).evaluate(all);
        result.<JavaAccess<?>>handleViolations((accesses, message) ->
                accesses.forEach(access -> findings.add(placeOf(access.getOriginOwner()), access.getDescription())));
        return checkedAgainst(result, findings);
    }

    /** Where a rule of ArchUnit about fields is broken. */
    Findings fieldsAgainst(ArchRule rule) {
        Findings findings = new Findings();
        EvaluationResult result = rule.allowEmptyShould(true).evaluate(all);
        result.<JavaField>handleViolations((fields, message) ->
                fields.forEach(field -> findings.add(placeOf(((JavaMember) field).getOwner()), field.getFullName())));
        return checkedAgainst(result, findings);
    }

    /** Fails where ArchUnit reports violations of another kind than the rule's caller expects. */
    private static Findings checkedAgainst(EvaluationResult result, Findings findings) {
        if (result.hasViolation() && findings.counts().isEmpty()) {
            throw new IllegalStateException("unexpected kind of violation: " + result.getFailureReport());
        }
        return findings;
    }

    /** Reads the classes when the first rule asks for them. */
    private static final class Here {
        static final MainClasses CLASSES = of(Project.here());
    }
}
