package io.tallystick.tool;

import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;

/** What a command that reads what is whole says of the rest. */
final class DamageRemark {
    private DamageRemark() {}

    /** Tells the first damage, if there is any, and what the command ends with. */
    static ExitStatus of(StoreInspection inspection, Output output) {
        if (inspection.isHealthy()) {
            return ExitStatus.OK;
        }
        Damage first = inspection.damages().get(0);
        output.remark(
                "%s",
                Main.NAME + ": "
                        + Escaped.message("damage in " + inspection.damages().size()
                                + " places, only what is whole is shown; the first: file=" + first.file() + " offset="
                                + first.offset() + ": " + first.reason() + "; 'tallystick verify "
                                + inspection.directory() + "' tells them all"));
        return ExitStatus.NEGATIVE;
    }
}
