package io.tallystick.store.postgresql;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what a logger and those below it are told, with the stacks. */
final class ToldLines extends Handler implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level before;

    ToldLines(Class<?> of) {
        this(of.getName());
    }

    ToldLines(String name) {
        logger = Logger.getLogger(name);
        before = logger.getLevel();
        logger.setLevel(Level.ALL);
        setLevel(Level.ALL);
        logger.addHandler(this);
    }

    List<String> all() {
        return List.copyOf(lines);
    }

    /** How many lines have this text. */
    long count(String text) {
        return lines.stream().filter(line -> line.contains(text)).count();
    }

    @Override
    public void publish(LogRecord logged) {
        StringBuilder line = new StringBuilder(String.valueOf(logged.getMessage()));
        for (Throwable thrown = logged.getThrown(); thrown != null; thrown = thrown.getCause()) {
            line.append('\n').append(thrown);
        }
        lines.add(line.toString());
    }

    @Override
    public void flush() {
        // nothing is buffered
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(before);
    }
}
