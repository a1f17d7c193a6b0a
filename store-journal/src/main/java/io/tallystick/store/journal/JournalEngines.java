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
    private final List<Throwable> unusable = new ArrayList<>();

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
            IllegalArgumentException missing = new IllegalArgumentException(engines.message(name));
            engines.unusable.forEach(missing::addSuppressed);
            throw missing;
        }
        if (engines.twins.containsKey(name)) {
            throw new IllegalArgumentException(StoreOption.JOURNAL_ENGINE.key() + "=" + Printable.of(name)
                    + " is the name of two engines on the class path, " + classOf(engine) + " and "
                    + engines.twins.get(name)
                    + ": which one has written a log is not known; remove one of them");
        }
        return engine;
    }

    /** The options of the engines, and what keeps some of them from telling theirs. */
    record Declared(List<StoreOption<?>> options, List<String> troubles) {}

    /** What the engines declare. One that cannot tell hides no other one. */
    static Declared declared() {
        JournalEngines engines = new JournalEngines();
        Declared declared = new Declared(new ArrayList<>(), new ArrayList<>());
        engines.found.forEach((name, engine) -> {
            try {
                declared.options.addAll(engine.options());
            } catch (RuntimeException | LinkageError broken) {
                declared.troubles.add(
                        "the options of the engine " + name + " (" + classOf(engine) + ") are not known: " + broken);
            }
        });
        engines.unusable.forEach(why -> declared.troubles.add("an engine is not usable: " + textOf(why)));
        return declared;
    }

    private static String textOf(Throwable why) {
        return why + (why.getCause() == null ? "" : ", " + why.getCause());
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
            } catch (ServiceConfigurationError | LinkageError | RuntimeException broken) { // also where its name throws
                unusable.add(broken);
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
        String broken = unusable.isEmpty() ? "" : "; an engine cannot be loaded: " + textOf(unusable.get(0));
        return ARTIFACTS.contains(name)
                ? given + " needs the artifact " + ARTIFACT_PREFIX + name
                        + ", which is not on the class path; add it, or configure one of " + found.keySet() + broken
                : given + " is no engine on the class path, which has " + found.keySet()
                        + "; add the artifact that has it, or configure one of these" + broken;
    }
}
