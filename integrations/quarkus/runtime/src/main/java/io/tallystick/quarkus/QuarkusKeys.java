package io.tallystick.quarkus;

import io.tallystick.store.StoreOption;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The texts of the library name its own keys. An application writes others, which are named beside them here. */
final class QuarkusKeys {
    private static final String NODE_NAME = "quarkus.transaction-manager.node-name";
    private static final String OBJECT_STORE = "quarkus.transaction-manager.object-store.directory";

    private QuarkusKeys() {}

    /** The text, and behind it the keys of Quarkus for those that the text names. */
    static String beside(String text) {
        Set<String> keys = new LinkedHashSet<>();
        for (StoreOption<?> option : StoreOption.all()) {
            if (isNamed(option, text)) {
                keys.add("quarkus." + option.key());
                if (option == StoreOption.NODE_ID) {
                    keys.add(NODE_NAME);
                } else if (option == StoreOption.DIRECTORY) {
                    keys.add(OBJECT_STORE);
                }
            }
        }
        if (text.contains("belongs to node")) {
            keys.add(NODE_NAME);
        }
        return keys.isEmpty()
                ? text
                : text + (text.endsWith(".") ? " In" : "; in") + " the configuration of Quarkus: "
                        + String.join(", ", keys);
    }

    // The file that makes a directory a store is called tallystick.store too.
    private static boolean isNamed(StoreOption<?> option, String text) {
        String end = option == StoreOption.STORE ? "=" : "(?![-.\\w]*\\w)";
        return Pattern.compile("(?<![-.\\w])(?:-D)?" + Pattern.quote(option.key()) + end)
                .matcher(text)
                .find();
    }
}
