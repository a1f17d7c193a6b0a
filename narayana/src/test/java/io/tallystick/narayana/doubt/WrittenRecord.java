package io.tallystick.narayana.doubt;

import com.arjuna.ats.arjuna.state.OutputBuffer;
import com.arjuna.ats.jta.xa.XATxConverter;
import com.arjuna.ats.jta.xa.XidImple;
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

    private static final String IMPORTED = ACTION + "/SubordinateAtomicAction/JCA";
    private static final int OF_UNKNOWN_CLASS = 4711;
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
    private Optional<BranchId> parent = Optional.empty();
    private boolean isAnyUnreadable;

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

    /** With a participant of a class that nobody knows. */
    public WrittenRecord unreadable() {
        isAnyUnreadable = true;
        return this;
    }

    /** Imported from the transaction manager of this branch; empty if the record does not name it. */
    public WrittenRecord imported(Optional<BranchId> from) {
        parent = from;
        type = IMPORTED;
        return this;
    }

    /** Put aside by the expiry scanner. */
    public WrittenRecord givenUp() {
        type += "/Expired";
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

    /** The branch of the transaction at this resource, made by a node that has imported it. */
    public BranchId branch(String resource, String importer) {
        XidImple xid = new XidImple(new BranchXid(branch(resource)));
        XATxConverter.setSubordinateNodeName(xid.getXID(), importer);
        return LastErrors.idOf(xid);
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
            if (type.startsWith(IMPORTED)) {
                packHeader(packed);
                packed.packBoolean(parent.isPresent());
                if (parent.isPresent()) {
                    packXid(parent.get(), packed);
                    packed.packString(parent.get().node().orElse("another"));
                }
            }
            packHeader(packed);
            packed.packBoolean(markable.isEmpty());
            if (isAnyUnreadable) {
                packed.packInt(OF_UNKNOWN_CLASS);
                packed.packString("what nobody can read");
            }
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

    private void packHeader(OutputBuffer packed) throws IOException {
        packed.packString("#ARJUNA#");
        packed.packBytes(uid(number));
        packed.packBytes(uid(1));
        packed.packLong(createdMillis);
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
        packXid(branch(resource), packed);
    }

    private static void packXid(BranchId xid, OutputBuffer packed) throws IOException {
        byte[] global = xid.globalBytes();
        byte[] branch = xid.branchBytes();
        packed.packInt(xid.format());
        packed.packInt(global.length);
        packed.packInt(branch.length);
        packed.packBytes(ByteBuffer.allocate(global.length + branch.length)
                .put(global)
                .put(branch)
                .array());
    }
}
