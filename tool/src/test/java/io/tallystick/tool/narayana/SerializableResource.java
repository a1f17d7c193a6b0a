package io.tallystick.tool.narayana;

import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;

/** A resource that Narayana serializes into the log record, and that must not be deserialized. */
final class SerializableResource extends ScriptedResource implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    SerializableResource(int commitError) {
        super(commitError);
    }

    @Serial
    private void readObject(ObjectInputStream in) {
        throw new AssertionError("deserialized");
    }
}
