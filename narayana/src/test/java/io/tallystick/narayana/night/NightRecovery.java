package io.tallystick.narayana.night;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.io.IOException;
import java.nio.file.Path;
import javax.transaction.xa.XAResource;

/**
 * Gives one resource of a night to recovery and to the commands. It knows the class of {@link Escrow} where the
 * property {@value #KNOWS_ESCROW} is true, as the version of the application does that wrote the record.
 */
public final class NightRecovery implements XAResourceRecoveryHelper {
    /** A system property. */
    public static final String KNOWS_ESCROW = "night.knows-escrow";

    private XAResource resource;

    /** For the commands. */
    public NightRecovery() {}

    /** @param directory of the resource */
    @Override
    public boolean initialise(String directory) throws IOException {
        Path place = Path.of(directory);
        resource = new NightResource(
                new NightBook(place.getParent()), place.getFileName().toString(), "", 0);
        if (Boolean.getBoolean(KNOWS_ESCROW)) {
            Escrow.makeKnown();
        }
        return true;
    }

    @Override
    public XAResource[] getXAResources() {
        return new XAResource[] {resource};
    }
}
