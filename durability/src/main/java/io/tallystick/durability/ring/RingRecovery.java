package io.tallystick.durability.ring;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.transaction.xa.XAResource;

/** Gives the accounts of a ring to {@code RecoverNode}, which may be held at a step of its recovery. */
public final class RingRecovery implements XAResourceRecoveryHelper {
    /** The first word of the line that is printed when recovery asks for the accounts. */
    static final String ASKED = "asked";

    private Standstill standstill;
    private List<RingResource> resources = List.of();

    /** For {@code RecoverNode}. */
    public RingRecovery() {}

    /** The text for {@link #initialise}. */
    static String text(String phase, int times, Accounts accounts) {
        return phase + ',' + times + ',' + accounts.directory();
    }

    @Override
    public boolean initialise(String text) throws IOException {
        String[] parts = text.split(",", 3);
        standstill = new Standstill(System.out, parts[0], Integer.parseInt(parts[1]));
        resources = new Accounts(Path.of(parts[2])).resources(new int[Accounts.count()], standstill::step);
        return true;
    }

    @Override
    public XAResource[] getXAResources() {
        standstill.say(ASKED, "for accounts");
        return resources.toArray(XAResource[]::new);
    }
}
