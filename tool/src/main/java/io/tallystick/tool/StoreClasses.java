package io.tallystick.tool;

import io.tallystick.store.text.NearestName;
import io.tallystick.tool.command.NarayanaSettings;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The classes that {@code objectStoreType} may name and that the tool knows without the application's class path. */
final class StoreClasses {
    private static final String OURS = "io.tallystick.";
    private static final String NARAYANAS = "com.arjuna.";
    private static final String PACKAGE = NARAYANAS + "ats.internal.arjuna.objectstore.";

    /** The classes of Narayana. */
    static final List<String> KNOWN = Stream.of(
                    "ShadowNoFileLockStore",
                    "ShadowingStore",
                    "HashedStore",
                    "HashedActionStore",
                    "ActionStore",
                    "CacheStore",
                    "LogStore",
                    "NullActionStore",
                    "VolatileStore",
                    "TwoPhaseVolatileStore",
                    "jdbc.JDBCStore",
                    "hornetq.HornetqObjectStoreAdaptor",
                    "slot.SlotStoreAdaptor")
            .map(name -> PACKAGE + name)
            .toList();

    private StoreClasses() {}

    /** The reason why Narayana cannot load the class; empty if it can, and for classes that the tool does not know. */
    static Optional<String> objection(String name) {
        boolean isKnown = name.equals(NarayanaSettings.OUR_CLASS) || KNOWN.contains(name);
        List<String> candidates = name.startsWith(OURS)
                ? List.of(NarayanaSettings.OUR_CLASS)
                : Stream.concat(Stream.of(NarayanaSettings.OUR_CLASS), KNOWN.stream())
                        .toList();
        Optional<String> meant = name.startsWith(OURS) || name.startsWith(NARAYANAS)
                ? Optional.of(NearestName.of(name, candidates))
                : NearestName.near(name, candidates);
        return isKnown
                ? Optional.empty()
                : meant.map(right -> "there is no class " + name + "; did you mean " + right + "?");
    }
}
