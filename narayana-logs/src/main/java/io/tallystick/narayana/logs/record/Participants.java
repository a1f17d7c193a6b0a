package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.PackedBuffer;
import java.util.List;
import java.util.Set;

/** Reads the participants of a transaction, in the layout of their record classes, behind the number of the class. */
final class Participants {
    static final String RECORD = "record";
    static final String OUTCOME = "outcome";
    static final String COMMITTED = "committed";
    static final String XID = "xid";
    static final String JNDI_NAME = "jndiName";
    static final String PRODUCT = "product";

    private static final int RECOVERY_BY_CONNECTION = 0;
    private static final int RECOVERY_BY_RESOURCE = 1;
    private static final Set<Integer> KNOWN = Set.of(
            NarayanaCodes.PARTICIPANT_XA_RESOURCE,
            NarayanaCodes.PARTICIPANT_OF_MARKABLE_RESOURCE,
            NarayanaCodes.PARTICIPANT_RECOVERY,
            NarayanaCodes.PARTICIPANT_PERSISTENCE,
            NarayanaCodes.PARTICIPANT_LOGGED_PERSISTENCE,
            NarayanaCodes.PARTICIPANT_CADAVER,
            NarayanaCodes.PARTICIPANT_DISPOSE);

    private Participants() {}

    /**
     * The participant of this class.
     *
     * @throws MalformedException the class, and so the end of its record, is not known; or the record is malformed
     */
    static Fields read(int code, PackedBuffer buffer) throws MalformedException {
        if (!KNOWN.contains(code)) {
            throw new MalformedException("the layout of " + NarayanaCodes.participant(code) + " is not known");
        }
        Fields fields = new Fields().put(RECORD, NarayanaCodes.participant(code));
        switch (code) {
            case NarayanaCodes.PARTICIPANT_XA_RESOURCE -> readXaResource(buffer, fields);
            case NarayanaCodes.PARTICIPANT_OF_MARKABLE_RESOURCE -> readMarkableResource(buffer, fields);
            case NarayanaCodes.PARTICIPANT_DISPOSE ->
                fields.put("disposedObject", uid(buffer)).put("disposedType", buffer.readString());
            case NarayanaCodes.PARTICIPANT_RECOVERY -> {}
            default -> readPersistence(buffer, fields);
        }
        return fields.put("object", uid(buffer)).put("objectType", buffer.readString());
    }

    private static void readXaResource(PackedBuffer buffer, Fields fields) throws MalformedException {
        int outcome = buffer.readInt();
        if (!NarayanaCodes.isOutcome(outcome)) {
            throw new MalformedException("an XA resource cannot have the outcome " + outcome);
        }
        // The value is FINISH_OK unless the participant failed.
        fields.put(OUTCOME, NarayanaCodes.outcome(outcome));
        fields.put(COMMITTED, buffer.readBoolean());
        fields.put(XID, Branch.readTagged(buffer));
        int recovery = buffer.readInt();
        switch (recovery) {
            case RECOVERY_BY_RESOURCE -> {
                fields.put(PRODUCT, buffer.readString());
                fields.put("productVersion", buffer.readString());
                fields.put(JNDI_NAME, buffer.readString());
                boolean isSerialized = buffer.readBoolean();
                fields.put("resourceSerialized", isSerialized);
                if (isSerialized) {
                    fields.put("resourceClass", buffer.readString());
                    fields.put("resourceBytes", buffer.readBytes().length);
                }
            }
            case RECOVERY_BY_CONNECTION -> readConnection(buffer, fields);
            default -> throw new MalformedException("an XA resource cannot be recovered in the way " + recovery);
        }
    }

    // Narayana's JDBC driver: the record has a password, and an address that may have another one.
    private static void readConnection(PackedBuffer buffer, Fields fields) throws MalformedException {
        String connection = buffer.readString();
        fields.put("recoveredBy", connection);
        boolean isDirect = connection != null && connection.endsWith(".DirectRecoverableConnection");
        if (!isDirect && (connection == null || !connection.endsWith(".IndirectRecoverableConnection"))) {
            throw new MalformedException("the layout of the connection class " + connection + " is not known");
        }
        for (String hidden : List.of("database", "user", "password")) {
            fields.put(hidden, buffer.readString() == null ? null : "not shown");
        }
        if (isDirect) {
            fields.put("dynamicClass", buffer.readString());
        }
    }

    private static void readMarkableResource(PackedBuffer buffer, Fields fields) throws MalformedException {
        fields.put(JNDI_NAME, buffer.readString());
        fields.put(XID, Branch.readTagged(buffer));
        boolean isCompleted = buffer.readBoolean();
        fields.put("completed", isCompleted);
        if (isCompleted) {
            fields.put(COMMITTED, buffer.readBoolean());
        }
        fields.put(PRODUCT, buffer.readString());
        fields.put("productVersion", buffer.readString());
    }

    private static void readPersistence(PackedBuffer buffer, Fields fields) throws MalformedException {
        boolean isShadowWritten = buffer.readBoolean();
        fields.put("shadowWritten", isShadowWritten);
        if (!isShadowWritten) {
            fields.put("stateType", buffer.readString());
            fields.put("stateObject", uid(buffer));
            fields.put("stateBytes", buffer.readBytes().length);
        }
    }

    private static String uid(PackedBuffer buffer) throws MalformedException {
        return NarayanaUid.text(buffer.readUid(), 0);
    }
}
