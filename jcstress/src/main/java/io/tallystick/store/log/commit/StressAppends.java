package io.tallystick.store.log.commit;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;

/** Appends for the tests of this module; each is named by one letter. */
public final class StressAppends {
    private static final byte[] RECORD = new byte[8];

    private StressAppends() {}

    /** A forced append of the key with this name. */
    public static PendingAppend forced(char name) {
        return of(name, false);
    }

    /** A deferred append of the key with this name. */
    public static PendingAppend deferred(char name) {
        return of(name, true);
    }

    /** An append that is on disk. */
    public static PendingAppend done(char name) {
        PendingAppend append = of(name, false);
        append.succeed();
        return append;
    }

    private static PendingAppend of(char name, boolean deferred) {
        StateKey key = StateKey.of("/Stress", ObjectId.of(new byte[] {(byte) name}));
        return PendingAppend.of(key, StateImage.ABSENT.write(new byte[] {(byte) name}), RECORD, deferred);
    }

    /** The name of this version. */
    public static char name(Version version) {
        return (char) version.key().id().toBytes()[0];
    }

    /** The append is on disk. */
    public static void succeed(PendingAppend append) {
        append.succeed();
    }

    /** The names of a chain of appends. */
    static String names(PendingAppend first) {
        StringBuilder names = new StringBuilder();
        for (PendingAppend append = first; append != null; append = append.next()) {
            names.append(name(append));
        }
        return names.toString();
    }
}
