package io.tallystick.store.journal;

import io.tallystick.store.StoreOption;
import io.tallystick.store.services.NamedServices;
import io.tallystick.store.services.NamedServices.Search;
import io.tallystick.store.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The engines on the class path. */
final class JournalEngines {
    private static final String ARTIFACT_PREFIX = "io.tallystick:tallystick-store-journal-";
    private static final List<String> ARTIFACTS = List.of("artemis");
    private static final Search<JournalEngine> SEARCH = new Search<>(
            JournalEngine.class.getClassLoader(), loader -> ServiceLoader.load(JournalEngine.class, loader));

    private JournalEngines() {}

    private static NamedServices<JournalEngine> onTheClassPath() {
        return NamedServices.all("an engine", SEARCH, JournalEngine::name);
    }

    /**
     * The engine that a value of {@code tallystick.journal.engine} asks for.
     *
     * @throws IllegalArgumentException there is none or there are two, naming what to do
     */
    static JournalEngine named(String name) {
        NamedServices<JournalEngine> engines = onTheClassPath();
        Optional<String> twins = engines.twins(name);
        if (twins.isPresent()) {
            throw new IllegalArgumentException(StoreOption.JOURNAL_ENGINE.key() + "=" + Printable.of(name)
                    + " is the name of two engines on the class path, " + twins.get()
                    + ": which one has written a log is not known; remove one of them");
        }
        Optional<JournalEngine> engine = engines.named(name);
        if (engine.isEmpty()) {
            IllegalArgumentException missing = new IllegalArgumentException(message(name, engines));
            engines.unusable().forEach(missing::addSuppressed);
            throw missing;
        }
        return engine.get();
    }

    /** The options of the engines, and what keeps some of them from telling theirs. */
    record Declared(List<StoreOption<?>> options, List<String> troubles) {}

    /** What the engines declare. One that cannot tell hides no other one. */
    static Declared declared() {
        NamedServices<JournalEngine> engines = onTheClassPath();
        Declared declared = new Declared(new ArrayList<>(), new ArrayList<>());
        engines.byName().forEach((name, engine) -> {
            try {
                declared.options.addAll(engine.options());
            } catch (RuntimeException | LinkageError broken) {
                declared.troubles.add("the options of the engine " + name + " (" + NamedServices.classOf(engine)
                        + ") are not known: " + broken);
            }
        });
        engines.unusableTexts().forEach(why -> declared.troubles.add("an engine is not usable: " + why));
        return declared;
    }

    private static String message(String name, NamedServices<JournalEngine> engines) {
        String given = StoreOption.JOURNAL_ENGINE.key() + "=" + Printable.of(name);
        List<String> unusable = engines.unusableTexts();
        String broken = unusable.isEmpty() ? "" : "; an engine cannot be loaded: " + unusable.get(0);
        return ARTIFACTS.contains(name)
                ? given + " needs the artifact " + ARTIFACT_PREFIX + name
                        + ", which is not on the class path; add it, or configure one of "
                        + engines.byName().keySet() + broken
                : given + " is no engine on the class path, which has "
                        + engines.byName().keySet()
                        + "; add the artifact that has it, or configure one of these" + broken;
    }
}
