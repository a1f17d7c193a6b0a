package io.tallystick.storage;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names that one owner has in this process, each with a text. The names stand in the system properties, which the
 * copies of this class in all class loaders share. Programs replace the system properties: test frameworks put an
 * earlier copy back. So each copy of this class remembers its own names, too. It counts them although their property is
 * lost, and it ignores a property of its own that came back.
 */
final class ProcessTable {
    private static final String MARK =
            " #" + Long.toHexString(ThreadLocalRandom.current().nextLong()) + "-";
    private static final AtomicLong MARKED = new AtomicLong();

    @GuardedBy("ProcessTable.class") private static final Map<String, String> OWN = new HashMap<>();

    private ProcessTable() {}

    /** The text with a mark that tells it from all other texts. */
    static String marked(String text) {
        return text + MARK + MARKED.incrementAndGet();
    }

    /**
     * Enters a name that has no owner.
     *
     * @param text a text of {@link #marked}
     * @return the text of the owner that has the name; empty if the caller has it now
     */
    static synchronized Optional<String> enter(String name, String text) {
        String own = OWN.get(name);
        if (own != null) {
            System.getProperties().putIfAbsent(name, own);
            return Optional.of(own);
        }
        boolean isEntered = false;
        try {
            OWN.put(name, text);
            Properties shared = System.getProperties();
            Object known = shared.putIfAbsent(name, text);
            if (known != null && isOfThisCopy(known)) {
                shared.put(name, text);
                known = null;
            }
            isEntered = known == null;
            return Optional.ofNullable(known).map(Object::toString);
        } finally {
            if (!isEntered) {
                leave(name, text);
            }
        }
    }

    /** Whether an owner has the name that another copy of this class has entered, in another class loader. */
    static synchronized boolean isOfAnotherCopy(String name, String text) {
        Object known = System.getProperties().get(name);
        return known != null && known.toString().startsWith(text) && !isOfThisCopy(known);
    }

    /** Gives a name up that was entered with this text; does nothing if another owner has it. */
    static synchronized void leave(String name, String text) {
        if (OWN.remove(name, text)) {
            Object known = System.getProperties().get(name);
            if (known != null && isOfThisCopy(known)) {
                System.getProperties().remove(name);
            }
        }
    }

    /** Enters a name for ever, in place of another owner too. */
    static synchronized void put(String name, String text) {
        OWN.put(name, text);
        System.getProperties().put(name, text);
    }

    /** The names that begin with the prefix, those whose property is lost included, with their texts. */
    static synchronized Map<String, String> entries(String prefix) {
        Map<String, String> entries = new HashMap<>();
        Properties shared = System.getProperties();
        for (String name : shared.stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                entries.put(name, shared.getProperty(name, ""));
            }
        }
        for (Map.Entry<String, String> own : OWN.entrySet()) {
            if (own.getKey().startsWith(prefix)) {
                entries.put(own.getKey(), own.getValue());
                shared.putIfAbsent(own.getKey(), own.getValue());
            }
        }
        return entries;
    }

    private static boolean isOfThisCopy(Object text) {
        return text.toString().contains(MARK);
    }
}
