package io.tallystick.narayana.settle;

/**
 * What a management client may do to transactions in doubt. Where {@code tallystick.jmx=true} and {@code
 * tallystick.indoubt.settle=true}, its name is {@code io.tallystick:type=InDoubtSettling,name="<directory>"}. It is an
 * MXBean of its own, so that rights can be given for it alone. docs/in-doubt.md says who may do what.
 *
 * <p>A call that is refused throws {@link IllegalStateException} with the reason, and one with bad arguments {@link
 * IllegalArgumentException}. Each call ends within three minutes, whatever resources do.
 */
public interface InDoubtSettlingMXBean {
    /**
     * What is known of a transaction, what {@link #forget} would do, and what may go wrong. Changes nothing.
     *
     * @param uid as the list of transactions prints it
     */
    String describe(String uid);

    /**
     * Lets recovery scan now, and says what has changed.
     *
     * @param reason 1 to 500 printable characters; it stays in the trail
     * @param who the person who does it; it stays in the trail
     */
    String retry(String reason, String who);

    /**
     * Removes the record of a transaction that recovery does not end, and keeps it aside.
     *
     * @param uid as the list of transactions prints it
     * @param branchesEnded an audit has shown that no resource has a branch of it
     * @param reason 1 to 500 printable characters; it stays in the trail
     * @param who the person who does it; it stays in the trail
     */
    String forget(String uid, boolean branchesEnded, String reason, String who);
}
