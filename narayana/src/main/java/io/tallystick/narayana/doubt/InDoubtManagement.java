package io.tallystick.narayana.doubt;

import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.narayana.management.StoreBean;
import io.tallystick.store.ObjectStore;
import java.util.List;
import java.util.Map;

/** The transactions in doubt of an open store as an MXBean. */
public final class InDoubtManagement implements InDoubtMXBean {
    private static final StoreBean BEAN = new StoreBean(
            "InDoubt",
            "the transactions in doubt",
            "TALLY0423",
            "TALLY0424",
            System.getLogger(InDoubtLook.class.getName()));

    private final InDoubtLook look;

    private InDoubtManagement(InDoubtLook look) {
        this.look = look;
    }

    /** Registers a look at the store; the returned action unregisters it. */
    public static Runnable register(ObjectStore store, InDoubtLook look) {
        return BEAN.register(new InDoubtManagement(look), store);
    }

    private InDoubtReport report() {
        return look.look().orElse(InDoubtReport.EMPTY);
    }

    @Override
    public Map<String, Integer> getCountByState() {
        return report().countByLabel();
    }

    @Override
    public long getUnseen() {
        return look.look().map(InDoubtReport::unseen).orElse(-1L);
    }

    @Override
    public long getOldestSeconds() {
        return report().oldestAge().map(age -> age.toSeconds()).orElse(-1L);
    }

    @Override
    public long getOldestOpenSeconds() {
        return report().oldestOpen().map(open -> open.age().toSeconds()).orElse(-1L);
    }

    @Override
    public String getOldestOpen() {
        return report().oldestOpen()
                .map(open ->
                        "uid=" + open.uid() + " ageSeconds=" + open.age().toSeconds() + " threads=" + open.threads())
                .orElse("");
    }

    @Override
    public List<String> list(int limit) {
        return report().transactions().stream()
                .limit(Math.max(0, limit))
                .map(InDoubtTransaction::toString)
                .toList();
    }

    @Override
    public String show(String uid) {
        return look.lookNow()
                .flatMap(report -> report.find(uid))
                .map(InDoubtTransaction::toString)
                .orElse("");
    }
}
