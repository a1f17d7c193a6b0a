package io.tallystick.spring.boot;

import io.tallystick.narayana.InstallationException;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.UnsupportedFormatException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;

/** From what the library throws at the start to what the failure analysis prints. */
final class Refusals {
    private static final String BAD_PROPERTY = "TALLY0702 ";
    private static final String SEE =
            " docs/troubleshooting.md has this number, and docs/embedding-spring-boot.md the" + " properties.";

    // Without these names a record stays in doubt after the migration, although its branches are committed.
    private static final String NAMES_OF_STARTER =
            " After the migration start with tallystick.name-resources=false until inDoubt of health is 0, while all"
                    + " databases and brokers can be reached: the records have the names that Narayana's starter"
                    + " gives.";
    private static final String OLD_STORE = " With tallystick.enabled=false the application has the old store.";

    private Refusals() {}

    /** Opens with the opener, and says in the words of Spring Boot why it cannot. */
    static <T> T explained(Supplier<T> opener) {
        try {
            return opener.get();
        } catch (InstallationException refused) {
            throw new StartRefusedException(
                    refused.messageId() + " " + refused.reason(),
                    sentence(refused.remedy()) + forOldLog(refused.remedy()) + SEE,
                    refused);
        } catch (StoreException refused) {
            throw new StartRefusedException(
                    refused.messageId() + " " + refused.getMessage(), remedyOf(refused) + SEE, refused);
        } catch (IllegalArgumentException refused) {
            throw badProperty(refused.getMessage(), refused);
        } catch (UncheckedIOException unreadable) {
            throw badProperty(unreadable.getMessage(), unreadable);
        }
    }

    /** What the advice for an old log means in an application with this starter. */
    private static String forOldLog(String remedy) {
        return (remedy.contains("tallystick migrate") ? NAMES_OF_STARTER : "")
                + (remedy.contains("with the old store") ? OLD_STORE : "");
    }

    /** The application has a property that is unknown, or a value that is none. */
    static StartRefusedException badProperty(String reason, Throwable cause) {
        return new StartRefusedException(
                BAD_PROPERTY + reason, "Correct the configuration as the description says." + SEE, cause);
    }

    private static String remedyOf(StoreException refused) {
        if (refused instanceof StoreLockedException) {
            return "End the process that has the directory, or give this application one of its own:"
                    + " tallystick.directory, or narayana.log-dir. Never delete tallystick.lock. For tests beside an"
                    + " application that runs, write into src/test/resources/config/application.properties:"
                    + " tallystick.directory=target/tallystick-test and tallystick.journal.segment-size=4MiB."
                    + " Tests that run at once need a directory each.";
        }
        if (refused instanceof UnsupportedFormatException) {
            return "Configure the store that is there (tallystick.store, tallystick.journal.engine), or mount the"
                    + " volume that belongs to this node (narayana.node-identifier, tallystick.node-id).";
        }
        if (refused instanceof CorruptStoreException) {
            return "Keep a copy of the directory, look at it with `tallystick verify`, and look for the cause before"
                    + " you restore a backup.";
        }
        if (refused instanceof StoreFullException) {
            return "Make room on the disk, or raise the quota.";
        }
        if (refused instanceof StoreIoException failed && failed.isOfACopy()) {
            return "Find out whether the application on the original still runs. If it has ended for good, run"
                    + " `tallystick accept-copy` and start again.";
        }
        return "Mount the volume, make the directory writable for this user, or name another one with"
                + " tallystick.directory or narayana.log-dir. An application whose transactions have one resource each"
                + " needs no log on a disk: add the artifact tallystick-store-inmemory and tallystick.store=inmemory.";
    }

    private static String sentence(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
