package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.PackedBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A state that Narayana wrote, decoded as far as its layout is known: first of all the log record of a transaction,
 * with its participants, their Xids and outcomes. It uses no class of Narayana, deserializes nothing, and never fails:
 * unknown bytes are shown with their place and size.
 *
 * <p><b>Layout.</b> {@code BasicAction.save_state} packs these parts in this order. A header: marker, Uid of the
 * transaction, Uid of the process, time of creation. A flag. The participants that do not know the outcome yet, each
 * behind the number of its record class, and an end mark. The number of heuristic participants and, if there are any,
 * these and another end mark. At last status, type and outcome. The participants without the outcome are the prepared
 * ones or, after a failed second phase, the failed ones. Subordinate transactions put the Xid of their parent in front.
 * Participants that were read-only or have finished are not in the record.
 *
 * <p>The end of a record of an unknown class is not known. The rest is then searched for the nearest place from which
 * all bytes can be read to the last one.
 */
public final class ActionRecord {
    static final String ACTION = "/BasicAction";
    static final String PARTICIPANTS = "participants";
    static final String HEURISTICS = "heuristics";
    static final String STATUS = "status";
    static final String PAST_FIRST = "pastFirstParticipant";
    static final String NOT_UNDERSTOOD = "notUnderstood";
    static final String PARENT_XID = "parentXid";

    private static final String MARKER = "#ARJUNA#";
    private static final String STATUS_MANAGER = "/Recovery/TransactionStatusManager";
    static final String SUBORDINATE = "/AtomicAction/SubordinateAtomicAction/JCA";
    static final String SERVER = "/ArjunaTransactionImple/ServerTransaction";
    private static final String SERVER_SUBORDINATE = SERVER + "/JCA";

    private static final String CREATED = "created";
    // The number of values that a search for the end of an unknown record may read; a valid record has far fewer.
    private static final long SEARCH_BUDGET = 2_000_000;

    private final Fields fields;
    private final RecordState state;

    private ActionRecord(Fields fields, RecordState state) {
        this.fields = fields;
        this.state = state;
    }

    /**
     * Decodes a state.
     *
     * @param type the type name of the state, which shows its writer
     */
    public static ActionRecord decode(String type, byte[] state) {
        Fields fields = new Fields();
        try {
            PackedBuffer buffer = PackedBuffer.of(state);
            try {
                decode(type, buffer, fields);
                if (buffer.remaining() > 0) {
                    fields.put("rest", buffer.remaining() + " bytes of a class whose layout is not known");
                }
            } catch (MalformedException malformed) {
                fields.put(NOT_UNDERSTOOD, malformed.getMessage());
            }
        } catch (MalformedException noBuffer) {
            fields.put("kind", "unknown").put(NOT_UNDERSTOOD, noBuffer.getMessage());
        }
        return new ActionRecord(fields.put("size", state.length), RecordState.of(type, fields));
    }

    /** The duty of recovery for it. */
    public RecordState state() {
        return state;
    }

    /** Whether a participant may not know the outcome yet. */
    public boolean isInDoubt() {
        return state == RecordState.IN_DOUBT
                || state == RecordState.UNREADABLE
                || state == RecordState.NOT_DECODED
                || state == RecordState.HEURISTIC && RecordState.isAnyIn(fields.get(PARTICIPANTS));
    }

    /** When the transaction began, or the object was made; empty if the record does not have it. */
    public Optional<Instant> created() {
        try {
            return Optional.ofNullable(fields.get(CREATED)).map(text -> Instant.parse(text.toString()));
        } catch (DateTimeException outOfRange) {
            return Optional.empty();
        }
    }

    /** All that was decoded. */
    public Fields fields() {
        return fields;
    }

    private static void decode(String type, PackedBuffer buffer, Fields fields) throws MalformedException {
        if (type.endsWith(STATUS_MANAGER)) {
            fields.put("kind", "status manager of a process");
            decodeStatusManager(buffer, fields);
        } else if (type.contains(ACTION)) {
            fields.put("kind", "transaction");
            decodeParent(type, buffer, fields);
            decodeHeader(buffer, fields);
            fields.put(PAST_FIRST, buffer.readBoolean());
            new ParticipantLists(buffer).decode(fields);
        } else {
            fields.put("kind", "object");
            decodeHeader(buffer, fields);
        }
    }

    private static void decodeStatusManager(PackedBuffer buffer, Fields fields) throws MalformedException {
        fields.put("host", buffer.readString());
        fields.put("port", buffer.readInt());
        boolean isDead = buffer.readBoolean();
        fields.put("markedDead", isDead);
        if (isDead) {
            fields.put("deadSince", time(buffer.readLong()));
        }
    }

    private static void decodeParent(String type, PackedBuffer buffer, Fields fields) throws MalformedException {
        boolean isSubordinate = type.contains(SUBORDINATE);
        if (isSubordinate) {
            decodeHeader(buffer, new Fields()); // the same header follows again
        }
        if ((isSubordinate || type.contains(SERVER_SUBORDINATE)) && buffer.readBoolean()) {
            fields.put(PARENT_XID, Branch.read(buffer));
            if (isSubordinate) {
                fields.put("parentNode", buffer.readString());
            }
        }
        if (type.contains(SERVER) && buffer.readBoolean()) {
            fields.put("recoveryCoordinator", buffer.readString());
        }
    }

    private static void decodeHeader(PackedBuffer buffer, Fields fields) throws MalformedException {
        int at = buffer.offset();
        if (!MARKER.equals(buffer.readString())) {
            throw new MalformedException("there is no " + MARKER + " at offset=" + at);
        }
        byte[] transaction = buffer.readUid();
        boolean isKnown = false;
        for (byte each : transaction) {
            isKnown |= each != 0;
        }
        if (isKnown) {
            fields.put("transaction", NarayanaUid.text(transaction, 0));
            fields.put("process", NarayanaUid.text(buffer.readUid(), 0));
        }
        fields.put(CREATED, time(buffer.readLong()));
    }

    private static String time(long epochMillis) {
        try {
            return Instant.ofEpochMilli(epochMillis).toString();
        } catch (DateTimeException outOfRange) {
            return epochMillis + " ms";
        }
    }

    /** The part of a record from the first participant on. */
    private static final class ParticipantLists {
        private final PackedBuffer buffer;

        ParticipantLists(PackedBuffer buffer) {
            this.buffer = buffer;
        }

        /** A list of a record, before its end mark was read. */
        private record OpenList(String name, List<Fields> list, Fields record) {}

        void decode(Fields fields) throws MalformedException {
            List<Fields> participants = new ArrayList<>();
            fields.put(PARTICIPANTS, participants);
            if (!readListOrSearch(new OpenList(PARTICIPANTS, participants, fields))) {
                return;
            }
            List<Fields> heuristics = new ArrayList<>();
            fields.put(HEURISTICS, heuristics);
            if (readHeuristicCount(false) > 0 && !readListOrSearch(new OpenList(HEURISTICS, heuristics, fields))) {
                return;
            }
            readOutcome(fields, false);
        }

        /** Reads to the end mark; false if a search has also read the part behind it. */
        private boolean readListOrSearch(OpenList open) {
            while (true) {
                int at = buffer.offset();
                int code;
                try {
                    code = buffer.readInt();
                } catch (MalformedException ended) {
                    open.record.put(NOT_UNDERSTOOD, ended.getMessage());
                    return false;
                }
                if (code == NarayanaCodes.END_OF_LIST) {
                    return true;
                }
                try {
                    open.list.add(Participants.read(code, buffer));
                } catch (MalformedException unknown) {
                    skipUnknown(at, code, unknown, open);
                    return false;
                }
            }
        }

        private void skipUnknown(int at, int code, MalformedException why, OpenList open) {
            buffer.moveTo(at);
            int end = at + buffer.remaining();
            Fields rest = null;
            buffer.limitTo(SEARCH_BUDGET);
            int next = at + PackedBuffer.ALIGNMENT_BYTES;
            for (; rest == null && next < end && !buffer.isExhausted(); next += PackedBuffer.ALIGNMENT_BYTES) {
                rest = restFrom(next, open.name);
            }
            buffer.limitTo(Long.MAX_VALUE);
            int from = rest == null ? end : next - PackedBuffer.ALIGNMENT_BYTES;
            open.list.add(new Fields()
                    .put(Participants.RECORD, NarayanaCodes.participant(code))
                    .put("offset", at)
                    .put("bytes", from - at)
                    .put(NOT_UNDERSTOOD, why.getMessage()));
            buffer.moveTo(end);
            if (rest != null) {
                // Lists of the same name are joined.
                @SuppressWarnings("unchecked") // readStrictly puts it there
                List<Fields> further = (List<Fields>) rest.remove(open.name);
                open.list.addAll(further);
                open.record.putAll(rest);
            }
        }

        /** All fields from this place to the last byte, or null if they cannot be read from here. */
        private Fields restFrom(int offset, String listName) {
            buffer.moveTo(offset);
            try {
                Fields rest = new Fields();
                rest.put(listName, readListStrictly());
                if (listName.equals(PARTICIPANTS)) {
                    rest.put(HEURISTICS, readHeuristicCount(true) > 0 ? readListStrictly() : List.of());
                }
                readOutcome(rest, true);
                return buffer.isAtEnd() ? rest : null;
            } catch (MalformedException notFromHere) {
                return null;
            }
        }

        private List<Fields> readListStrictly() throws MalformedException {
            List<Fields> list = new ArrayList<>();
            for (int code = buffer.readInt(); code != NarayanaCodes.END_OF_LIST; code = buffer.readInt()) {
                list.add(Participants.read(code, buffer));
            }
            return list;
        }

        private int readHeuristicCount(boolean strictly) throws MalformedException {
            int count = buffer.readInt();
            if (count < 0 || (strictly && count > buffer.remaining())) {
                throw new MalformedException("there cannot be " + count + " heuristic participants");
            }
            return count;
        }

        private void readOutcome(Fields fields, boolean strictly) throws MalformedException {
            int status = buffer.readInt();
            int type = buffer.readInt();
            int outcome = buffer.readInt();
            boolean isSound = NarayanaCodes.isActionStatus(status)
                    && NarayanaCodes.isActionType(type)
                    && NarayanaCodes.isOutcome(outcome);
            if (strictly && !isSound) {
                throw new MalformedException("no status, type and outcome");
            }
            fields.put(STATUS, NarayanaCodes.actionStatus(status));
            fields.put("actionType", NarayanaCodes.actionType(type));
            fields.put(Participants.OUTCOME, NarayanaCodes.outcome(outcome));
        }
    }
}
