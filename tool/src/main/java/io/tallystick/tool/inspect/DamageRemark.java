package io.tallystick.tool.inspect;

import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Output;
import io.tallystick.tool.command.ToolCommand;

/** The remark of a command that reads the undamaged records, about the damage. */
public final class DamageRemark {
    private DamageRemark() {}

    /** Reports the first damage, if there is any, and returns the status of the command. */
    public static ExitStatus of(StoreInspection inspection, Output output) {
        if (inspection.isHealthy()) {
            return ExitStatus.OK;
        }
        Damage first = inspection.damages().get(0);
        output.remark(
                "%s",
                ToolCommand.NAME + ": "
                        + Escaped.message("damage in "
                                + Escaped.count(inspection.damages().size(), "place")
                                + ", only whole records are shown; the first: file=" + first.file() + " offset="
                                + first.offset() + ": " + first.reason() + "; 'tallystick verify "
                                + (inspection.isRemote() ? "--url ..." : inspection.directory()) + "' reports all"));
        return ExitStatus.NEGATIVE;
    }
}
