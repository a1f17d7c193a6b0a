package io.tallystick.store.settings;

import io.tallystick.store.text.Printable;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One key of the configuration: its name, the reader of its text, its default, and its effect. Two settings are the
 * same only if they are one object.
 *
 * @param <T> the type of the value that the text stands for
 */
public final class Setting<T> {
    private final String name;
    private final Function<String, T> reader;
    private final Optional<String> defaultText;
    private final Optional<T> defaultValue;
    private final String description;
    private final UnaryOperator<String> shown;

    private Setting(
            String name,
            Function<String, T> reader,
            Optional<String> defaultText,
            String description,
            UnaryOperator<String> shown) {
        this.name = name;
        this.shown = shown;
        this.reader = reader;
        this.defaultText = defaultText;
        this.description = description;
        this.defaultValue = defaultText.map(this::parse);
    }

    /**
     * A setting.
     *
     * @param name the key, such as {@code tallystick.journal.io}
     * @param reader reads the text; its {@link IllegalArgumentException} says why a text is no value
     * @param defaultText the text of the default; empty if there is none
     * @param description its effect and the values that it takes
     */
    public static <T> Setting<T> of(
            String name, Function<String, T> reader, Optional<String> defaultText, String description) {
        return new Setting<>(name, reader, defaultText, description, UnaryOperator.identity());
    }

    /** The same setting, whose values may have secrets; messages have what this leaves of them. */
    public Setting<T> shownAs(UnaryOperator<String> withoutSecrets) {
        return new Setting<>(name, reader, defaultText, description, withoutSecrets);
    }

    /** A value as messages may have it. */
    public String shown(Object value) {
        return shown.apply(String.valueOf(value));
    }

    /** The key, such as {@code tallystick.journal.io}. */
    public String name() {
        return name;
    }

    /** The name of the environment variable, such as {@code TALLYSTICK_JOURNAL_IO}. */
    public String variable() {
        return variableOf(name);
    }

    /** The value where nothing is configured; empty where a value is required. */
    public Optional<T> defaultValue() {
        return defaultValue;
    }

    /** The text of the default; empty where a value is required. */
    public Optional<String> defaultText() {
        return defaultText;
    }

    /** Its effect and the values that it takes. */
    public String description() {
        return description;
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException the text is no value of this setting, naming the key and the values that it
     *     takes
     */
    public T parse(String text) {
        return parse(name, text, "");
    }

    /**
     * Reads a value.
     *
     * @param givenName the name that it stands under: this setting's name, or its variable
     * @param place where it stands, in the words of an error; empty if there is nothing to say
     */
    T parse(String givenName, String text, String place) {
        Objects.requireNonNull(text, "text");
        try {
            return reader.apply(text.trim());
        } catch (IllegalArgumentException bad) {
            String reason = bad.getMessage();
            throw new IllegalArgumentException(
                    givenName + "='" + Printable.of(shown.apply(text)) + "'" + (place.isEmpty() ? "" : " in " + place)
                            + " is not valid" + (reason == null ? "" : ": " + reason)
                            + "; it takes: " + description,
                    bad);
        }
    }

    /** The environment variable that belongs to a key: {@code TALLYSTICK_STORE} to {@code tallystick.store}. */
    public static String variableOf(String name) {
        return name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    @Override
    public String toString() {
        return name;
    }
}
