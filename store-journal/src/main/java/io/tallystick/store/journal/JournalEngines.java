package io.tallystick.store.journal;

import io.tallystick.store.StoreOption;
import io.tallystick.store.text.Printable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * The engines on the class path: those that the loader of this library sees, and then those that the context loader of
 * the thread sees.
 */
final class JournalEngines {
    private static final String ARTIFACT_PREFIX = "io.tallystick:tallystick-store-journal-";
    private static final List<String> ARTIFACTS = List.of("artemis");

    // A class path that cannot be read fails at every step of the search.
    private static final int MAX_UNUSABLE = 16;

    private final Map<String, JournalEngine> found = new TreeMap<>();
    private final Map<String, String> twins = new TreeMap<>();
    private final List<String> unusable = new ArrayList<>();

    private JournalEngines() {
        collect(JournalEngine.class.getClassLoader());
        collect(Thread.currentThread().getContextClassLoader());
    }

    /**
     * The engine that a value of {@code tallystick.journal.engine} asks for.
     *
     * @throws IllegalArgumentException there is none or there are two, naming what to do
     */
    static JournalEngine named(String name) {
        JournalEngines engines = new JournalEngines();
        JournalEngine engine = engines.found.get(name);
        if (engine == null) {
            throw new IllegalArgumentException(engines.message(name));
        }
        if (engines.twins.containsKey(name)) {
            throw new IllegalArgumentException(StoreOption.JOURNAL_ENGINE.key() + "=" + Printable.of(name)
                    + " is the name of two engines on the class path, " + classOf(engine) + " and "
                    + engines.twins.get(name)
                    + ": which one has written a log is not known; remove one of them");
        }
        return engine;
    }

    /**
     * What the engines declare.
     *
     * @throws IllegalStateException one of them cannot tell, naming it
     */
    static List<StoreOption<?>> options() {
        List<StoreOption<?>> options = new ArrayList<>();
        for (JournalEngine engine : new JournalEngines().found.values()) {
            try {
                options.addAll(engine.options());
            } catch (RuntimeException | LinkageError broken) {
                throw new IllegalStateException(
                        "engine " + engine.name() + " (" + classOf(engine) + "): " + broken, broken);
            }
        }
        return options;
    }

    private void collect(ClassLoader loader) {
        Iterator<JournalEngine> engines =
                ServiceLoader.load(JournalEngine.class, loader).iterator();
        int failuresLeft = MAX_UNUSABLE;
        while (failuresLeft > 0) {
            try {
                if (!engines.hasNext()) {
                    return;
                }
                add(engines.next());
            } catch (ServiceConfigurationError | LinkageError broken) {
                unusable.add(String.valueOf(broken));
                failuresLeft--;
            }
        }
    }

    private void add(JournalEngine engine) {
        JournalEngine first = found.putIfAbsent(engine.name(), engine);
        if (first != null && !classOf(first).equals(classOf(engine))) {
            twins.put(engine.name(), classOf(engine));
        }
    }

    private static String classOf(JournalEngine engine) {
        return engine.getClass().getName();
    }

    private String message(String name) {
        String given = StoreOption.JOURNAL_ENGINE.key() + "=" + Printable.of(name);
        String broken = unusable.isEmpty() ? "" : "; an engine cannot be loaded: " + unusable.get(0);
        return ARTIFACTS.contains(name)
                ? given + " needs the artifact " + ARTIFACT_PREFIX + name
                        + ", which is not on the class path; add it, or configure one of " + found.keySet() + broken
                : given + " is no engine on the class path, which has " + found.keySet()
                        + "; add the artifact that has it, or configure one of these" + broken;
    }
}
