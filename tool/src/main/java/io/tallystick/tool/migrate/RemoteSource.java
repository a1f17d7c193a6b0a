package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.SourceState;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.MarkedLoss;
import io.tallystick.tool.command.RemoteLog;
import java.io.IOException;
import java.util.Optional;

/** A log of ours in a database. It is only read: no owner is disturbed, and none is taken over. */
final class RemoteSource implements LogSource {
    private final RemoteLog log;
    private StoreInspection seen;

    /** @throws io.tallystick.tool.command.ToolException the node has no log */
    RemoteSource(RemoteLog log) {
        this.log = log;
        this.seen = log.inspect();
    }

    @Override
    public String description() {
        return "a Tallystick store, " + seen.place();
    }

    @Override
    public Optional<String> holder() {
        return seen.holder();
    }

    /** The server lists the connections of its owner. */
    @Override
    public boolean mustBeStopped() {
        return false;
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        seen = log.inspect();
        MarkedLoss.checkNone(seen.place(), MarkedLoss.in(log));
        for (Damage damage : seen.damages()) {
            findings.damage("row=" + damage.file() + " offset=" + damage.offset(), damage.reason());
        }
        for (InspectedRecord record : seen.records()) {
            receiver.take(new SourceState(
                    record.key(),
                    record.image(),
                    seen.place() + " key=" + record.key().toPrintable()));
        }
    }
}
