package io.tallystick.testkit.process;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.UnsupportedFormatException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The messages in the pipes between a {@link StoreProcess} and its {@link StoreServer}. */
final class StoreWire {
    /** The answer to no request: whether the store opened. */
    static final long OPENED = 0;

    private static final int ABSENT = -1;

    private StoreWire() {}

    /** The methods of a store; the ordinal is a byte of the request. */
    enum Method {
        WRITE,
        WRITE_ASYNC,
        REMOVE,
        FORCE,
        WRITE_SHADOW,
        READ_SHADOW,
        COMMIT_SHADOW,
        DISCARD_SHADOW,
        TYPES,
        KEYS,
        READ,
        STATUS,
        HIDE,
        REVEAL,
        FAILURE,
        PROVE_OWNED,
        CLOSE
    }

    /** One call, from the caller's thread of number {@code lane}. Arguments that the method does not have are null. */
    record Request(long id, long lane, Method method, StateKey key, String type, byte[] state, Durability durability) {
        void writeTo(DataOutputStream out) throws IOException {
            out.writeLong(id);
            out.writeLong(lane);
            out.writeByte(method.ordinal());
            writeBytes(out, key == null ? null : key.id().toBytes());
            out.writeUTF(key != null ? key.type() : type == null ? "" : type);
            writeBytes(out, state);
            out.writeByte(durability == null ? ABSENT : durability.ordinal());
            out.flush();
        }

        static Request readFrom(DataInputStream in) throws IOException {
            long id = in.readLong();
            long lane = in.readLong();
            Method method = Method.values()[in.readByte()];
            byte[] objectId = readBytes(in);
            String type = in.readUTF();
            byte[] state = readBytes(in);
            int durability = in.readByte();
            return new Request(
                    id,
                    lane,
                    method,
                    objectId == null ? null : StateKey.of(type, ObjectId.of(objectId)),
                    type,
                    state,
                    durability == ABSENT ? null : Durability.values()[durability]);
        }
    }

    /** The result of a call: the returned value, which has one of a few types, or the exception. */
    record Answer(long id, Object value, RuntimeException thrown) {
        void writeTo(DataOutputStream out) throws IOException {
            out.writeLong(id);
            out.writeBoolean(thrown != null);
            if (thrown != null) {
                writeThrown(out, thrown);
            } else {
                writeValue(out, value);
            }
            out.flush();
        }

        static Answer readFrom(DataInputStream in) throws IOException {
            long id = in.readLong();
            return in.readBoolean() ? new Answer(id, null, readThrown(in)) : new Answer(id, readValue(in), null);
        }
    }

    private static void writeValue(DataOutputStream out, Object value) throws IOException {
        if (value == null) {
            out.writeByte('n');
        } else if (value instanceof Boolean truth) {
            out.writeByte('b');
            out.writeBoolean(truth);
        } else if (value instanceof byte[] bytes) {
            out.writeByte('a');
            writeBytes(out, bytes);
        } else if (value instanceof StateStatus status) {
            out.writeByte('s');
            out.writeByte(status.ordinal());
        } else if (value instanceof StoreException failure) {
            out.writeByte('f');
            writeThrown(out, failure);
        } else if (value instanceof Set<?> names) {
            out.writeByte('t');
            out.writeInt(names.size());
            for (Object name : names) {
                out.writeUTF((String) name);
            }
        } else if (value instanceof List<?> keys) {
            out.writeByte('k');
            out.writeInt(keys.size());
            for (Object key : keys) {
                out.writeUTF(((StateKey) key).type());
                writeBytes(out, ((StateKey) key).id().toBytes());
            }
        } else {
            throw new IllegalArgumentException("value=" + value + " cannot be sent");
        }
    }

    private static Object readValue(DataInputStream in) throws IOException {
        char kind = (char) in.readByte();
        return switch (kind) {
            case 'n' -> null;
            case 'b' -> in.readBoolean();
            case 'a' -> readBytes(in);
            case 's' -> StateStatus.values()[in.readByte()];
            case 'f' -> readThrown(in);
            case 't' -> {
                Set<String> names = new HashSet<>();
                for (int left = in.readInt(); left > 0; left--) {
                    names.add(in.readUTF());
                }
                yield names;
            }
            case 'k' -> {
                List<StateKey> keys = new ArrayList<>();
                for (int left = in.readInt(); left > 0; left--) {
                    keys.add(StateKey.of(in.readUTF(), ObjectId.of(readBytes(in))));
                }
                yield keys;
            }
            default -> throw new IOException("an answer of unknown kind '" + kind + "'");
        };
    }

    private static void writeThrown(DataOutputStream out, RuntimeException thrown) throws IOException {
        out.writeUTF(thrown.getClass().getSimpleName());
        String message = String.valueOf(thrown.getMessage());
        out.writeUTF(message.substring(0, Math.min(message.length(), 10_000)));
        if (thrown instanceof CorruptStoreException corrupt) {
            out.writeUTF(String.valueOf(corrupt.file()));
            out.writeLong(corrupt.offset());
        }
    }

    private static RuntimeException readThrown(DataInputStream in) throws IOException {
        String type = in.readUTF();
        String message = in.readUTF();
        Throwable cause = new UncheckedIOException(new IOException("in the process of the store"));
        return switch (type) {
            case "StoreIoException" -> new StoreIoException(message, cause);
            case "OutcomeUnknownException" -> new OutcomeUnknownException(message, cause);
            case "CorruptStoreException" ->
                new CorruptStoreException(Path.of(in.readUTF()), in.readLong(), message, "");
            case "UnsupportedFormatException" -> new UnsupportedFormatException(message, cause);
            case "StoreFullException" -> new StoreFullException(message, cause);
            case "StoreLockedException" -> new StoreLockedException(message, cause);
            case "StoreClosedException" -> new StoreClosedException(message, cause);
            case "StoreFencedException" -> new StoreFencedException(message, cause);
            case "StoreFailedException" -> new StoreFailedException(message, cause);
            case "IllegalArgumentException" -> new IllegalArgumentException(message, cause);
            default -> new IllegalStateException(type + ": " + message, cause);
        };
    }

    /** The value of an optional, or null if it is empty; anything else unchanged. */
    static Object unwrapped(Object value) {
        return value instanceof Optional<?> optional ? optional.orElse(null) : value;
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes == null ? ABSENT : bytes.length);
        if (bytes != null) {
            out.write(bytes);
        }
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length == ABSENT) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes); // a process that is killed may cut a value off
        return bytes;
    }
}
