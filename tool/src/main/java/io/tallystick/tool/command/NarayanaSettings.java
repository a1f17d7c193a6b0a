package io.tallystick.tool.command;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of Narayana's beans by the rules of its own loader. A property of a bean is looked up by the class' full
 * name, then by its simple name, then by the old long form. Each name is looked up in the system properties and then in
 * the properties file.
 */
public final class NarayanaSettings {
    /** The value of {@code objectStoreType} for our stores. */
    public static final String OUR_CLASS = "io.tallystick.narayana.TallystickObjectStore";
    /** The value without any setting. */
    public static final String DEFAULT_CLASS = "com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore";
    /** The value of {@code objectStoreDir} in the file of the narayana-jta jar: a note, not a path. */
    public static final String PLACEHOLDER = "PutObjectStoreDirHere";

    private static final String STORE_BEAN = "com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean";
    private static final String STORE_LONG_FORM = "com.arjuna.ats.arjuna.objectstore.";
    private static final String CORE_BEAN = "com.arjuna.ats.arjuna.common.CoreEnvironmentBean";
    private static final String JTA_BEAN = "com.arjuna.ats.jta.common.JTAEnvironmentBean";
    private static final String OUR_BEAN = "io.tallystick.narayana.TallystickStoreEnvironmentBean";
    private static final Pattern TOKEN = Pattern.compile("\\$\\{([^}:]+)(?::([^}]*))?}");

    private final Properties merged = new Properties();

    /**
     * @param system the system properties of the process
     * @param file its properties file
     */
    public NarayanaSettings(Properties system, Properties file) {
        file.stringPropertyNames().forEach(key -> merged.setProperty(key, substituted(file.getProperty(key), system)));
        system.stringPropertyNames().forEach(key -> merged.setProperty(key, system.getProperty(key)));
    }

    /** The three stores of Narayana, with the names of their beans. */
    public enum Role {
        /** The transaction log; its bean has no name. */
        ACTION("action store", ""),
        /** States of transactional objects. */
        STATE("state store", "stateStore."),
        /** Messages between processes. */
        COMMUNICATION("communication store", "communicationStore.");

        private final String title;
        private final String bean;

        Role(String title, String bean) {
            this.title = title;
            this.bean = bean;
        }

        /** The name for people. */
        public String title() {
            return title;
        }

        /** The name of its bean and a dot; empty for the bean that has none. */
        public String bean() {
            return bean;
        }
    }

    /** The class that will serve the role. */
    public String storeClass(Role role) {
        return bean(STORE_BEAN, role.bean, "objectStoreType", STORE_LONG_FORM).orElse(DEFAULT_CLASS);
    }

    /** The directory of Narayana's own stores, and of ours if none is configured for it. */
    public Optional<String> objectStoreDir() {
        return bean(STORE_BEAN, "", "objectStoreDir", STORE_LONG_FORM);
    }

    /** The node identifier in the branches of this node. */
    public Optional<String> nodeIdentifier() {
        return bean(CORE_BEAN, "", "nodeIdentifier", "com.arjuna.ats.arjuna.");
    }

    /** The nodes whose branches recovery takes care of; empty if no setting names them. */
    public List<String> recoveryNodes() {
        return bean(JTA_BEAN, "", "xaRecoveryNodes", "com.arjuna.ats.jta.")
                .map(nodes -> List.of(nodes.strip().split("\\s+")))
                .orElse(List.of());
    }

    /** Keys that name a bean that no class reads. */
    public List<String> misnamed() {
        List<String> found = new ArrayList<>();
        for (String key : merged.stringPropertyNames()) {
            if (key.contains("ObjectStoreEnvironmentBean.default.")) {
                found.add(key);
            }
        }
        return found;
    }

    /** Sets the values from the bean of our adaptor for the role; it has no properties for options of others. */
    public void apply(Role role, StoreConfiguration.Builder builder) {
        for (StoreOption<?> option : StoreOption.own()) {
            apply(role, option.key(), builder);
        }
    }

    private void apply(Role role, String key, StoreConfiguration.Builder builder) {
        bean(OUR_BEAN, role.bean, propertyOf(key), null).ifPresent(text -> builder.set(key, text));
    }

    /** All properties of both sources; {@code tallystick.*} keys of the file count as system properties. */
    public Properties properties() {
        return merged;
    }

    private Optional<String> bean(String className, String name, String property, String longForm) {
        String simpleName = className.substring(className.lastIndexOf('.') + 1);
        for (String key :
                new String[] {className + "." + name + property, simpleName + "." + name + property, longForm + property
                }) {
            String value = merged.getProperty(key);
            if (value != null) {
                return Optional.of(value.strip());
            }
        }
        return Optional.empty();
    }

    /** {@code tallystick.journal.segment-size} is {@code journalSegmentSize}. */
    private static String propertyOf(String key) {
        StringBuilder property = new StringBuilder();
        boolean isNextUpper = false;
        for (char c : key.substring("tallystick.".length()).toCharArray()) {
            if (c == '.' || c == '-') {
                isNextUpper = true;
            } else {
                property.append(isNextUpper ? Character.toUpperCase(c) : c);
                isNextUpper = false;
            }
        }
        return property.toString();
    }

    /**
     * Replaces tokens such as <code>${name:default}</code> and <code>${first,second}</code>, as the file's loader
     * does.
     */
    private static String substituted(String text, Properties system) {
        Matcher tokens = TOKEN.matcher(text);
        return tokens.replaceAll(token -> {
            for (String name : token.group(1).split(",")) {
                String value = name.equals("/") ? "/" : system.getProperty(name.strip());
                if (value != null) {
                    return Matcher.quoteReplacement(value);
                }
            }
            return Matcher.quoteReplacement(token.group(2) != null ? token.group(2) : token.group());
        });
    }
}
