package io.tallystick.narayana.doubt;

import java.util.List;
import java.util.Map;

/**
 * The view that a management client has of the transactions in doubt. Where {@code tallystick.jmx=true}, its name is
 * {@code io.tallystick:type=InDoubt,name="<directory>"}. A figure is at most five seconds old; docs/in-doubt.md has the
 * names and words.
 */
public interface InDoubtMXBean {
    /** How many transactions there are of each state; a state that none has is left out. */
    Map<String, Integer> getCountByState();

    /** Records that were not looked at, because there are so many; -1 if the log cannot be listed. */
    long getUnseen();

    /** The age of the oldest transaction in doubt, seconds; -1 if there is none. */
    long getOldestSeconds();

    /**
     * The age of the transaction of this process that has been open for the longest time, seconds; -1 if none is open.
     * It counts from the first look that saw the transaction.
     */
    long getOldestOpenSeconds();

    /** That transaction as text; empty if none is open. */
    String getOldestOpen();

    /**
     * The transactions in doubt, a line each, the oldest first.
     *
     * @param limit how many at most
     */
    List<String> list(int limit);

    /**
     * One transaction as text, read now.
     *
     * @param uid as {@link #list} prints it
     * @return empty if the log has no such record among those that are looked at
     */
    String show(String uid);
}
