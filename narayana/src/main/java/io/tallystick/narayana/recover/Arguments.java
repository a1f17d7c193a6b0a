package io.tallystick.narayana.recover;

import io.tallystick.store.text.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * What {@code RecoverNode} or {@code AuditNode} is asked to do.
 *
 * @param node the dead node
 * @param helpers the resources
 * @param timeout how long to wait, for the proof that nothing is left or for the resources; empty for the default
 */
public record Arguments(String node, List<Helper> helpers, Optional<Duration> timeout) {
    /** The options, for people. */
    public static final String USAGE = "--node ID [--helper CLASS[=TEXT]]... [--timeout DURATION]";

    public Arguments {
        helpers = List.copyOf(helpers);
    }

    /**
     * A class that gives resources.
     *
     * @param className an {@code XAResourceRecoveryHelper} or an {@code XAResourceRecovery}
     * @param text what it is initialised with; may be empty
     */
    public record Helper(String className, String text) {
        private static Helper of(String argument) {
            int sign = argument.indexOf('=');
            return sign < 0
                    ? new Helper(argument, "")
                    : new Helper(argument.substring(0, sign), argument.substring(sign + 1));
        }
    }

    /**
     * Reads the arguments of the command.
     *
     * @throws IllegalArgumentException they are none, with the reason
     */
    public static Arguments of(String... arguments) {
        Optional<String> node = Optional.empty();
        Optional<Duration> timeout = Optional.empty();
        List<Helper> helpers = new ArrayList<>();
        Iterator<String> rest = List.of(arguments).iterator();
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--node" -> {
                    demand(node.isEmpty(), "--node is given twice; one process recovers one node");
                    node = Optional.of(valueOf(option, rest));
                }
                case "--timeout" -> timeout = Optional.of(positive(valueOf(option, rest)));
                case "--helper" -> helpers.add(Helper.of(valueOf(option, rest)));
                default -> throw new IllegalArgumentException("'" + option + "' is no option");
            }
        }
        return new Arguments(
                node.orElseThrow(() -> new IllegalArgumentException("--node is missing")), helpers, timeout);
    }

    private static String valueOf(String option, Iterator<String> rest) {
        String value = rest.hasNext() ? rest.next() : "";
        demand(!value.isBlank(), option + " has no value");
        return value;
    }

    private static Duration positive(String text) {
        Duration duration = DurationText.parse(text);
        demand(!duration.isNegative() && !duration.isZero(), "--timeout=" + text + " is no time");
        return duration;
    }

    private static void demand(boolean isFulfilled, String problem) {
        if (!isFulfilled) {
            throw new IllegalArgumentException(problem);
        }
    }
}
