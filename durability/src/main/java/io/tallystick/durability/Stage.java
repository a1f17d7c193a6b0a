package io.tallystick.durability;

import io.tallystick.durability.run.StageRun;
import io.tallystick.durability.subject.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One way of being hard on stores. A stage is a family of cases, one for each seed, which any store may be put through;
 * {@link StageRun} chooses the stores, counts, and writes down what was found.
 */
public interface Stage {
    /** What {@code testkit/run} calls it. */
    String name();

    /** One line: what is done to the store. */
    String description();

    /** What is counted, in the plural, such as {@code "crash points"}; the first counter of each {@link Counts}. */
    String unit();

    /** How many units, all stores together, run in every build. */
    long quickCount();

    /** How many units, all stores together, the full programme has. */
    long fullCount();

    /** Why nothing of it can run on this machine, in a sentence that says what is missing; empty if it can. */
    default Optional<String> unavailableBecause() {
        return Optional.empty();
    }

    /** How large this store's share of the count is, compared with others. */
    default int weight(Subject subject) {
        return 1;
    }

    /** Why this store cannot be put through it, whatever the machine; empty if it can. */
    Optional<String> refuses(Subject subject);

    /** Whether cases on several stores may run in this process at the same time. */
    default boolean toleratesOthers() {
        return true;
    }

    /** The longest that one case may take before it counts as a hang (I12), seconds. */
    default int patienceSeconds() {
        return 120;
    }

    /**
     * Makes ready for a series of cases on one store.
     *
     * @param scratch an empty directory on a disk, for this session alone; deleted after it
     */
    Session open(Subject subject, Path scratch) throws IOException;

    /** A series of cases on one store. */
    @FunctionalInterface
    interface Session extends AutoCloseable {
        /**
         * Runs the case of this seed; with the same seed the same is done to the store.
         *
         * @return what was counted
         * @throws AssertionError the store has broken a promise; the message says which and how
         * @throws Exception the store threw what it should not have, or the stage is broken: a violation too
         */
        Counts run(long seed) throws Exception;

        /** Gives back what {@link Stage#open} took. */
        @Override
        default void close() throws IOException {
            // most have nothing
        }
    }
}
