package io.tallystick.store.journal;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds engines by name. */
final class JournalEngines {
    private static final String ARTIFACT_PREFIX = "io.tallystick:tallystick-store-journal-";

    private JournalEngines() {}

    /**
     * The engine that a value of {@code tallystick.journal.engine} asks for.
     *
     * @throws IllegalArgumentException it is not on the class path, naming the artifact that has it
     */
    static JournalEngine named(String name) {
        TreeSet<String> found = new TreeSet<>();
        String broken = "";
        Iterator<JournalEngine> engines = ServiceLoader.load(JournalEngine.class, JournalEngine.class.getClassLoader())
                .iterator();
        while (true) {
            try {
                if (!engines.hasNext()) {
                    break;
                }
                JournalEngine engine = engines.next();
                if (engine.name().equals(name)) {
                    return engine;
                }
                found.add(engine.name());
            } catch (ServiceConfigurationError | LinkageError unusable) {
                broken = "; an engine cannot be loaded: " + unusable;
            }
        }
        throw new IllegalArgumentException(
                "tallystick.journal.engine=" + name + " needs the artifact " + ARTIFACT_PREFIX + name
                        + ", which is not on the class path; add it, or configure one of " + found + broken);
    }
}
