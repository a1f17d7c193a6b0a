package io.tallystick.narayana.logs;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The values of one Uid and type in one of Narayana's stores. There are up to four, each with a name or row of its own;
 * our stores have two and a flag. Narayana's order of precedence is kept: uncommitted, uncommitted hidden, committed,
 * committed hidden.
 */
public final class NarayanaValues {
    /** {@code StateStatus.OS_COMMITTED}. */
    public static final int COMMITTED = 1;
    /** {@code StateStatus.OS_UNCOMMITTED}. */
    public static final int UNCOMMITTED = 2;
    /** {@code StateStatus.OS_HIDDEN}, added to one of the others. */
    public static final int HIDDEN = 4;

    /** The key of the values in a source. */
    public record Name(String type, ObjectId id) {}

    private final String typeName;
    private final Optional<ObjectId> id;
    private final String place;
    private final byte[][] values = new byte[(COMMITTED | UNCOMMITTED | HIDDEN) + 1][];

    /**
     * @param typeName the name in Narayana, with or without a first slash
     * @param id empty if the text is not a Uid
     * @param place the place in the source, for messages
     */
    public NarayanaValues(String typeName, Optional<ObjectId> id, String place) {
        this.typeName = typeName;
        this.id = id;
        this.place = place;
    }

    public static boolean isStatus(int status) {
        int kind = status & ~HIDDEN;
        return kind == COMMITTED || kind == UNCOMMITTED;
    }

    /** Adds a value; {@code status} is one. */
    public void put(int status, byte[] value) {
        values[status] = value;
    }

    public boolean has(int status) {
        return values[status] != null;
    }

    public boolean isEmpty() {
        return Arrays.stream(values).allMatch(Objects::isNull);
    }

    /** Hands the state for our store over, or a finding if our stores have no such state. */
    public void handOver(LogSource.Receiver receiver, Findings findings) throws IOException {
        Optional<SourceState> state = toState(findings);
        if (state.isPresent()) {
            receiver.take(state.get());
        }
    }

    /** The state for our store; empty, with a finding, if our stores have no such state. */
    public Optional<SourceState> toState(Findings findings) {
        Optional<StateKey> key = key(findings);
        if (key.isEmpty()) {
            return Optional.empty();
        }
        byte[] shadow = values[UNCOMMITTED];
        byte[] hiddenShadow = values[UNCOMMITTED | HIDDEN];
        byte[] committed = values[COMMITTED];
        byte[] hiddenCommitted = values[COMMITTED | HIDDEN];
        if (shadow != null && hiddenShadow != null || shadow != null && committed == null && hiddenCommitted != null) {
            findings.damage(
                    place,
                    "one value is hidden and another is not, which a Tallystick store cannot hold; hide or"
                            + " reveal them"
                            + " all through Narayana first");
            return Optional.empty();
        }
        if (committed != null && hiddenCommitted != null) {
            findings.remark(
                    place,
                    "a hidden committed value is left out: Narayana reads the one beside it, which is not hidden");
        }
        boolean isHidden = hiddenShadow != null || shadow == null && committed == null;
        StateImage image = StateImage.of(
                committed != null ? committed : hiddenCommitted, shadow != null ? shadow : hiddenShadow, isHidden);
        return Optional.of(new SourceState(key.get(), image, place));
    }

    private Optional<StateKey> key(Findings findings) {
        if (id.isEmpty()) {
            findings.damage(place, "its name is not a Uid");
            return Optional.empty();
        }
        try {
            return Optional.of(StateKey.of(normalized(typeName), id.get()));
        } catch (IllegalArgumentException notAType) {
            findings.damage(place, notAType.getMessage());
            return Optional.empty();
        }
    }

    // As in our adaptor for Narayana: one slash before each element.
    private static String normalized(String typeName) {
        StringBuilder path = new StringBuilder();
        for (String element : typeName == null ? new String[0] : typeName.split("/")) {
            if (!element.isEmpty()) {
                path.append('/').append(element);
            }
        }
        return path.toString();
    }
}
