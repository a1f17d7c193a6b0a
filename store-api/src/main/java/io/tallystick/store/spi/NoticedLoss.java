package io.tallystick.store.spi;

import java.util.Objects;

/**
 * A loss of acknowledged data that a process has noticed and marked, and that no person has accepted yet.
 *
 * @param missing what is missing, for people, on one line
 * @param noticed when the process noticed it, ISO 8601, UTC
 * @param owner the process that noticed it, for people, on one line
 */
public record NoticedLoss(String missing, String noticed, String owner) {
    public NoticedLoss {
        Objects.requireNonNull(missing, "missing");
        Objects.requireNonNull(noticed, "noticed");
        Objects.requireNonNull(owner, "owner");
    }
}
