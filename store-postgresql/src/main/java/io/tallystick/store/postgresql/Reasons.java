package io.tallystick.store.postgresql;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.util.PSQLException;

/**
 * What went wrong during an outage, each reason once with its number. The last error alone is often the least telling
 * one: a connection that ends, after a server that had no connection left for minutes.
 */
final class Reasons {
    private static final int MOST = 6;

    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private String last = "";

    /** One more try that went wrong so. */
    void add(SQLException trouble) {
        last = text(trouble);
        if (counts.size() < MOST || counts.containsKey(last)) {
            counts.merge(last, 1, Integer::sum);
        }
    }

    /** The last reason, and before it the others. */
    String told() {
        String others = counts.entrySet().stream()
                .filter(reason -> !reason.getKey().equals(last))
                .map(reason -> reason.getKey() + " (" + reason.getValue() + " times)")
                .collect(Collectors.joining("; "));
        return others.isEmpty() ? last : last + "; before that: " + others;
    }

    /** The message, with the state where the server has given one: people look for it. */
    static String text(SQLException trouble) {
        String state = trouble.getSQLState();
        return isAnswer(trouble) && state != null && !(trouble instanceof NoPrimaryException)
                ? trouble.getMessage() + " (SQLSTATE " + state + ")"
                : trouble.getMessage();
    }

    /** Whether the server said no, and was not merely silent. */
    static boolean isAnswer(SQLException trouble) {
        return trouble instanceof Connections.UnfitServerException unfit && !unfit.isStandby()
                || trouble instanceof NoPrimaryException none && none.isAnswered()
                || trouble instanceof PSQLException told && told.getServerErrorMessage() != null;
    }
}
