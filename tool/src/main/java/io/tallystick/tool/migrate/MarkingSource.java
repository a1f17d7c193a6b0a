package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.MigrationMark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A source that remembers what its last reading handed over, for the mark. A migration compares that reading with the
 * new store, so the mark names nothing else.
 */
final class MarkingSource implements LogSource {
    private final LogSource source;
    private final MigrationMark mark = new MigrationMark();

    MarkingSource(LogSource source) {
        this.source = source;
    }

    /** The records of the last reading. */
    MigrationMark mark() {
        return mark;
    }

    @Override
    public String description() {
        return source.description();
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        mark.clear();
        source.read(
                state -> {
                    mark.add(state);
                    receiver.take(state);
                },
                findings);
    }

    @Override
    public Optional<String> holder() throws IOException {
        return source.holder();
    }

    @Override
    public boolean mustBeStopped() {
        return source.mustBeStopped();
    }

    @Override
    public Optional<Path> markPlace() {
        return source.markPlace();
    }
}
