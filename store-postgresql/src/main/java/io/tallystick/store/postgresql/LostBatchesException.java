package io.tallystick.store.postgresql;

import io.tallystick.store.log.spi.RecordLog.LogLostException;

/** The database lacks what it had acknowledged, or may lack it, because it went back in time. */
final class LostBatchesException extends LogLostException {
    private static final long serialVersionUID = 1L;

    LostBatchesException(String message) {
        super(message);
    }
}
