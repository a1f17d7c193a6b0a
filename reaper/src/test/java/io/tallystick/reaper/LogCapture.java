package io.tallystick.reaper;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what the reaper logs while this is open, instead of showing it. */
final class LogCapture implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.tallystick.reaper");
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            messages.add(logged.getMessage());
        }

        @Override
        public void flush() {
            // nothing is buffered
        }

        @Override
        public void close() {
            // nothing is held
        }
    };

    LogCapture() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
    }

    /** The messages so far, in order. */
    Queue<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }
}
