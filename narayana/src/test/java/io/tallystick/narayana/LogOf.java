package io.tallystick.narayana;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a class logs from now until this is closed, which meanwhile goes nowhere else. */
final class LogOf implements AutoCloseable {
    private final Logger logger;
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            records.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    LogOf(Class<?> type) {
        logger = Logger.getLogger(type.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.ALL);
    }

    List<String> messages() {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    List<String> messagesAt(Level level) {
        return records.stream()
                .filter(record -> record.getLevel().equals(level))
                .map(LogRecord::getMessage)
                .toList();
    }

    /** How many lines have an exception. */
    long stacks() {
        return records.stream().filter(record -> record.getThrown() != null).count();
    }

    List<Level> levels() {
        return records.stream().map(LogRecord::getLevel).toList();
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
        logger.setLevel(null);
    }
}
