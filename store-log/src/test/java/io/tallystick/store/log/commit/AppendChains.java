package io.tallystick.store.log.commit;

import java.util.List;

/** Chains of appends, as they come from the queue, for tests of engines. */
public final class AppendChains {
    private AppendChains() {}

    /** The first of the appends, each of which knows the next; null if there are none. */
    public static PendingAppend of(List<PendingAppend> appends) {
        for (int i = 1; i < appends.size(); i++) {
            appends.get(i - 1).setNext(appends.get(i));
        }
        return appends.isEmpty() ? null : appends.get(0);
    }
}
