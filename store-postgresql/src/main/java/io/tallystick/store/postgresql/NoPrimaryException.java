package io.tallystick.store.postgresql;

import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;

/** No host of the URL is a primary that can be used. The message has what each of them said. */
final class NoPrimaryException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final boolean isAnswered;

    /** @param said by each host, in the order of the URL */
    NoPrimaryException(Map<String, SQLException> said) {
        super(
                "no host is a primary that can be used: "
                        + said.entrySet().stream()
                                .map(host -> host.getKey() + ": " + Reasons.text(host.getValue()))
                                .collect(Collectors.joining("; ")),
                stateOf(said));
        isAnswered = said.values().stream().anyMatch(Reasons::isAnswer);
        said.values().forEach(this::addSuppressed);
    }

    /** That of a server that answered, rather than that of a host that is not there. */
    private static String stateOf(Map<String, SQLException> said) {
        return said.values().stream()
                .filter(Reasons::isAnswer)
                .map(SQLException::getSQLState)
                .filter(state -> state != null)
                .findFirst()
                .orElse(null);
    }

    /** Whether a server said no, and was not merely silent. */
    boolean isAnswered() {
        return isAnswered;
    }
}
