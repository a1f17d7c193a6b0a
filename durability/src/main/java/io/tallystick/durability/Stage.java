package io.tallystick.durability;

import io.tallystick.durability.run.StageRun;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One kind of test for stores: a family of cases, one for each seed. {@link StageRun} chooses the stores, counts the
 * cases, and records the violations.
 */
public interface Stage {
    /** The name on the command line of {@code testkit/run}. */
    String name();

    /** The test in one line. */
    String description();

    /** The name of the first counter of each {@link Counts}, in the plural, such as {@code "crash points"}. */
    String unit();

    /** The number of units in every build, all stores together. */
    long quickCount();

    /** The number of units in the full programme, all stores together. */
    long fullCount();

    /** The hours that the full count takes, where the time is the point; empty where only the count matters. */
    default OptionalInt fullHours() {
        return OptionalInt.empty();
    }

    /** Why the stage cannot run on this machine, in a sentence that names the missing part; empty if it can. */
    default Optional<String> unavailableBecause() {
        return Optional.empty();
    }

    /** What the stage leaves out on this machine, each in a sentence with the reason. */
    default List<String> limitations() {
        return List.of();
    }

    /** The stores that it tests where no others are named. */
    default List<Subject> subjects() {
        return SubjectCatalog.ours();
    }

    /** This store's share of the count, relative to the shares of the others. */
    default int weight(Subject subject) {
        return 1;
    }

    /** Why this store cannot be tested on any machine; empty if it can. */
    Optional<String> refuses(Subject subject);

    /** Whether cases on several stores may run in this process at the same time. */
    default boolean toleratesOthers() {
        return true;
    }

    /** A case that takes longer counts as a hang (I12), seconds. */
    default int patienceSeconds() {
        return 120;
    }

    /**
     * Prepares a series of cases on one store.
     *
     * @param scratch an empty directory on a disk, for this session alone; it is deleted afterwards
     */
    Session open(Subject subject, Path scratch) throws IOException;

    /** A series of cases on one store. */
    @FunctionalInterface
    interface Session extends AutoCloseable {
        /**
         * Runs the case of this seed. The same seed makes the same calls and injects the same failures.
         *
         * @return the counters of the case
         * @throws AssertionError the store has broken a promise; the message names it
         * @throws Exception the store threw an exception that it must not throw, or the stage is broken: a violation
         *     too
         */
        Counts run(long seed) throws Exception;

        /** Releases the resources that {@link Stage#open} took. */
        @Override
        default void close() throws IOException {
            // most sessions hold no resources
        }
    }
}
