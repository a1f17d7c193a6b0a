package io.tallystick.rules;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The house rules. Each has one test method, which looks at all modules, and one that shows that it can fail.
 *
 * <p>The places where a rule does not hold yet are in {@code exceptions/NAME.txt} and may only become fewer. The places
 * where it need not hold are in {@code allowed/NAME.txt}, each with a reason.
 */
enum Rule {
    ARROWS(
            "a module knows only the modules that its row in docs/architecture.md names, and these stand above it",
            "Move the code to where both sides may see it, or change the table and say why."),
    CYCLES(
            "packages do not depend on each other in a circle",
            "Move a type, or turn one dependency round by an interface."),
    SPLIT_PACKAGES("a package lies in one module", "Give the module a package of its own."),
    PACKAGE_SIZE(
            "a package has at most 30 top-level types, or a line that names its one subject",
            "Split the package by role; where it has one role, say so in allowed/package-size.txt."),
    FILE_SIZE(
            "a main source file has at most 600 lines, or a line that names its one subject",
            "Move one responsibility into a class of its own, or say in allowed/file-size.txt which subject it is."),
    FILE_BOUND("no main source file has more than 900 lines", "Move one responsibility into a class of its own."),
    COLUMNS("a line of Java has at most 120 columns", "Break the line."),
    TWIN_NAMES(
            "no two top-level types of one module, tests included, have the same simple name",
            "Make one type of both, or give each the name of its role."),
    TYPE_NAMES("a type's name says its role in the field's words", "Rename the type."),
    MODULE_INFO(
            "a module-info where every requirement is a named module, and no module-info elsewhere",
            "Add or remove src/main/java/module-info.java."),
    MODULE_NAME(
            "every jar without a module-info has an Automatic-Module-Name",
            "Add <Automatic-Module-Name> to the manifestEntries of maven-jar-plugin in the module's pom.xml."),
    TIME("time is read through a clock that the caller gives", "Take a NanoClock, or the clock of the module."),
    DEFAULTS(
            "nothing depends on the default locale, charset or time zone of the process",
            "Give Locale.ROOT, a StandardCharset or a ZoneId."),
    THREADS(
            "a thread of a library keeps nothing of the application whose call has started it",
            "Make it with StoreThread; in the reaper with DaemonThreads."),
    DISK("files are reached through io.tallystick.storage", "Use Disk and DiskFile."),
    DESERIALIZATION("nothing is deserialized", "Read and check bytes instead."),
    STANDARD_STREAMS("libraries print nothing", "Log, or return what is to be said."),
    STATIC_STATE("no static field changes", "Make it final, or a field of an object that has an owner."),
    BROAD_CATCHES(
            "no catch of Exception, RuntimeException, Error or Throwable that does not throw it on",
            "Catch the exceptions that can be thrown."),
    UNFINISHED("nothing is left unfinished or switched off", "Finish it, or write an issue and remove the mark."),
    SLEEPS("tests wait for events and never for time", "Wait on a latch, or move a clock by hand."),
    RETURNS_IF("the Javadoc of a void method does not say \"Returns if\"", "Write \"Checks that ...\" and @throws."),
    LANGUAGE("texts are in simple English: see language.txt", "Write what language.txt says instead.");

    private final String demand;
    private final String remedy;

    Rule(String demand, String remedy) {
        this.demand = demand;
        this.remedy = remedy;
    }

    static Optional<Rule> named(String fileName) {
        return Arrays.stream(values())
                .filter(rule -> rule.fileName().equals(fileName))
                .findFirst();
    }

    /** The name of its list in the directories {@code exceptions} and {@code allowed}. */
    String fileName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".txt";
    }

    String demand() {
        return demand;
    }

    String remedy() {
        return remedy;
    }
}
