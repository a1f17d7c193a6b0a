package io.tallystick.store;

/**
 * The values that a store holds for one key, and whether readers may see them.
 *
 * <p>A key has up to two values: a <em>committed</em> one and a <em>shadow</em> (uncommitted) one. It may be
 * <em>hidden</em> from normal readers. The legal moves, with the result in brackets where the operation answers {@code
 * true} or {@code false}:
 *
 * <table>
 * <caption>Moves</caption>
 * <tr><th>operation</th><th>ABSENT</th><th>COMMITTED</th><th>SHADOW</th><th>COMMITTED_HIDDEN</th>
 *     <th>SHADOW_HIDDEN</th></tr>
 * <tr><td>{@code write}</td><td>COMMITTED</td><td>COMMITTED</td><td>SHADOW, beside the new committed value</td>
 *     <td>COMMITTED_HIDDEN</td><td>SHADOW_HIDDEN, beside the new committed value</td></tr>
 * <tr><td>{@code remove}</td><td>ABSENT (false)</td><td>ABSENT (true)</td>
 *     <td>SHADOW (true if there was a committed value)</td><td>ABSENT (true)</td>
 *     <td>SHADOW_HIDDEN (true if there was a committed value)</td></tr>
 * <tr><td>{@code writeShadow}</td><td>SHADOW</td><td>SHADOW</td><td>SHADOW</td><td>SHADOW_HIDDEN</td>
 *     <td>SHADOW_HIDDEN</td></tr>
 * <tr><td>{@code commitShadow}</td><td>ABSENT (false)</td><td>COMMITTED (false)</td><td>COMMITTED (true)</td>
 *     <td>COMMITTED_HIDDEN (false)</td><td>COMMITTED_HIDDEN (true)</td></tr>
 * <tr><td>{@code discardShadow}</td><td>ABSENT (false)</td><td>COMMITTED (false)</td>
 *     <td>COMMITTED, or ABSENT without a committed value (true)</td><td>COMMITTED_HIDDEN (false)</td>
 *     <td>COMMITTED_HIDDEN, or ABSENT without a committed value (true)</td></tr>
 * <tr><td>{@code hide}</td><td>ABSENT (false)</td><td>COMMITTED_HIDDEN (true)</td><td>SHADOW_HIDDEN (true)</td>
 *     <td>unchanged (true)</td><td>unchanged (true)</td></tr>
 * <tr><td>{@code reveal}</td><td>ABSENT (false)</td><td>unchanged (true)</td><td>unchanged (true)</td>
 *     <td>COMMITTED (true)</td><td>SHADOW (true)</td></tr>
 * </table>
 *
 * <p>A hidden key can be written but not read; its keys and its status stay visible to recovery. A key that loses its
 * last value is no longer hidden.
 */
public enum StateStatus {
    /** The store knows nothing of the key. */
    ABSENT,
    /** There is a committed value and no shadow. */
    COMMITTED,
    /** There is a shadow; a committed value may exist beside it and stays readable. */
    SHADOW,
    /** As {@link #COMMITTED}, hidden from readers. */
    COMMITTED_HIDDEN,
    /** As {@link #SHADOW}, hidden from readers. */
    SHADOW_HIDDEN;

    /** Whether readers are refused the values of the key. */
    public boolean isHidden() {
        return this == COMMITTED_HIDDEN || this == SHADOW_HIDDEN;
    }

    /** Whether there is a shadow value. */
    public boolean hasShadow() {
        return this == SHADOW || this == SHADOW_HIDDEN;
    }
}
