package io.tallystick.store.spi;

import java.util.List;
import java.util.Objects;

/**
 * What was found out about a server and a log on it.
 *
 * @param facts in the order for people
 * @param problems each keeps a store from being opened, or its promise from being kept
 * @param warnings each may be intended
 */
public record ServerReport(List<Fact> facts, List<String> problems, List<String> warnings) {
    public ServerReport {
        facts = List.copyOf(facts);
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }

    /**
     * One fact.
     *
     * @param name of the fact, in small letters
     * @param value for people, with its unit
     */
    public record Fact(String name, String value) {
        public Fact {
            Objects.requireNonNull(name);
            Objects.requireNonNull(value);
        }
    }
}
