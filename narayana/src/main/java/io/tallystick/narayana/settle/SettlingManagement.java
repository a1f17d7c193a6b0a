package io.tallystick.narayana.settle;

import io.tallystick.narayana.management.StoreBean;
import io.tallystick.store.ObjectStore;
import java.util.function.Supplier;

/** The settling of transactions of an open store as an MXBean. */
public final class SettlingManagement implements InDoubtSettlingMXBean {
    private static final StoreBean BEAN = new StoreBean(
            "InDoubtSettling",
            "the settling of transactions in doubt",
            "TALLY0423",
            "TALLY0424",
            System.getLogger(InDoubtSettling.class.getName()));

    private final InDoubtSettling settling;

    private SettlingManagement(InDoubtSettling settling) {
        this.settling = settling;
    }

    /** Registers the settling, if it is switched on; the returned action unregisters it. */
    public static Runnable register(ObjectStore store) {
        return InDoubtSettling.switchedOn(store)
                .map(settling -> BEAN.register(new SettlingManagement(settling), store))
                .orElse(() -> {});
    }

    @Override
    public String describe(String uid) {
        return plainly(() -> settling.describe(uid));
    }

    @Override
    public String retry(String reason, String who) {
        return plainly(() -> settling.retry(reason, who));
    }

    @Override
    public String forget(String uid, boolean branchesEnded, String reason, String who) {
        return plainly(() -> settling.forget(uid, branchesEnded, reason, who));
    }

    // A client need not have our classes to read the message.
    private static String plainly(Supplier<String> action) {
        try {
            return action.get();
        } catch (SettlingRefusedException refused) {
            IllegalStateException plain = new IllegalStateException(refused.getMessage());
            plain.setStackTrace(refused.getStackTrace());
            throw plain;
        }
    }
}
