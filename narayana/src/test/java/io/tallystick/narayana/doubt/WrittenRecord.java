package io.tallystick.narayana.doubt;

import com.arjuna.ats.arjuna.state.OutputBuffer;
import com.arjuna.ats.jta.xa.XATxConverter;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A log record of a transaction, packed as Narayana packs it. */
public final class WrittenRecord {
    /** The type of the records. */
    public static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

    private static final int MARKABLE_RESOURCE = 50;
    private static final int XA_RESOURCE = 171;
    private static final int END_OF_LIST = 463;
    private static final int RECOVERY_BY_RESOURCE = 1;
    private static final int FINISH_OK = 7;
    private static final int PREPARED = 5;
    private static final int COMMITTED = 7;
    private static final int HEURISTIC_ROLLBACK = 3;
    private static final int HEURISTIC_HAZARD = 6;

    private final int number;
    private final String node;
    private final List<String> waiting = new ArrayList<>();
    private final List<String> heuristic = new ArrayList<>();
    private final List<String> hazards = new ArrayList<>();
    private final List<String> markable = new ArrayList<>();
    // Whether the markable resource has committed; empty if that is not known.
    private Optional<Boolean> marked = Optional.empty();
    private long createdMillis;
    private String type = ACTION;

    /** The record of the transaction with this number, which this node began. */
    public WrittenRecord(int number, String node) {
        this.number = number;
        this.node = node;
    }

    /** With a participant that may not know the outcome. */
    public WrittenRecord waiting(String resource) {
        waiting.add(resource);
        return this;
    }

    /** With a participant that has rolled back on its own. */
    public WrittenRecord rolledBack(String resource) {
        heuristic.add(resource);
        return this;
    }

    /** With a participant that has answered the outcome so that nobody knows what it has done. */
    public WrittenRecord hazard(String resource) {
        hazards.add(resource);
        return this;
    }

    /** With a CommitMarkableResource, of which recovery has found out so much: the record of a prepared transaction. */
    public WrittenRecord markable(String resource, Optional<Boolean> isCommitted) {
        markable.add(resource);
        marked = isCommitted;
        return this;
    }

    /** Began at this time. */
    public WrittenRecord created(long epochMillis) {
        createdMillis = epochMillis;
        return this;
    }

    /** Put aside by the expiry scanner. */
    public WrittenRecord givenUp() {
        type = ACTION + "/Expired";
        return this;
    }

    /** The key of the record. */
    public StateKey key() {
        return StateKey.of(type, ObjectId.of(uid(number)));
    }

    /** The branch of the transaction at this resource. */
    public BranchId branch(String resource) {
        return BranchId.of(XATxConverter.FORMAT_ID, global(), qualifier(resource));
    }

    private static byte[] uid(int number) {
        return ByteBuffer.allocate(28)
                .putLong(1)
                .putLong(2)
                .putInt(3)
                .putInt(4)
                .putInt(number)
                .array();
    }

    private byte[] global() {
        byte[] name = node.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(28 + name.length).put(uid(number)).put(name).array();
    }

    private static byte[] qualifier(String resource) {
        return ByteBuffer.allocate(36).put(uid(resource.hashCode() | 1)).array();
    }

    /** The bytes of the record. */
    public byte[] bytes() {
        try {
            OutputBuffer packed = new OutputBuffer();
            packed.packString("#ARJUNA#");
            packed.packBytes(uid(number));
            packed.packBytes(uid(1));
            packed.packLong(createdMillis);
            packed.packBoolean(markable.isEmpty());
            for (String resource : markable) {
                packMarkable(resource, packed);
            }
            for (String resource : waiting) {
                pack(resource, FINISH_OK, packed);
            }
            packed.packInt(END_OF_LIST);
            packed.packInt(heuristic.size() + hazards.size());
            for (String resource : heuristic) {
                pack(resource, HEURISTIC_ROLLBACK, packed);
            }
            for (String resource : hazards) {
                pack(resource, HEURISTIC_HAZARD, packed);
            }
            if (!heuristic.isEmpty() || !hazards.isEmpty()) {
                packed.packInt(END_OF_LIST);
            }
            packed.packInt(markable.isEmpty() ? COMMITTED : PREPARED);
            packed.packInt(0);
            packed.packInt(FINISH_OK);
            return packed.buffer();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void packMarkable(String resource, OutputBuffer packed) throws IOException {
        packed.packInt(MARKABLE_RESOURCE);
        packed.packString(resource);
        packXid(resource, packed);
        packed.packBoolean(marked.isPresent());
        if (marked.isPresent()) {
            packed.packBoolean(marked.get());
        }
        packed.packString("Database");
        packed.packString("1");
        packed.packBytes(uid(1));
        packed.packString("/StateManager/AbstractRecord/CommitMarkableResourceRecord");
    }

    private void pack(String resource, int outcome, OutputBuffer packed) throws IOException {
        packed.packInt(XA_RESOURCE);
        packed.packInt(outcome);
        packed.packBoolean(true);
        packXid(resource, packed);
        packed.packInt(RECOVERY_BY_RESOURCE);
        packed.packString("Database");
        packed.packString("1");
        packed.packString(resource);
        packed.packBoolean(false);
        packed.packBytes(uid(1));
        packed.packString("/StateManager/AbstractRecord/XAResourceRecord");
    }

    private void packXid(String resource, OutputBuffer packed) throws IOException {
        packed.packBoolean(true);
        packed.packInt(XATxConverter.FORMAT_ID);
        byte[] global = global();
        byte[] branch = qualifier(resource);
        packed.packInt(global.length);
        packed.packInt(branch.length);
        packed.packBytes(ByteBuffer.allocate(global.length + branch.length)
                .put(global)
                .put(branch)
                .array());
    }
}
