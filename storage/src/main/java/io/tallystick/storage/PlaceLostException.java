package io.tallystick.storage;

import java.io.IOException;

/** A store does not lie any more where it was opened: a file or the directory is gone, was replaced or was changed. */
public final class PlaceLostException extends IOException {
    private static final long serialVersionUID = 1L;

    PlaceLostException(String message) {
        super(message);
    }
}
