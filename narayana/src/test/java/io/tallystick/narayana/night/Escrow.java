package io.tallystick.narayana.night;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.AbstractRecord;
import com.arjuna.ats.arjuna.coordinator.RecordType;
import com.arjuna.ats.arjuna.coordinator.TwoPhaseOutcome;
import com.arjuna.ats.arjuna.coordinator.abstractrecord.RecordTypeManager;
import com.arjuna.ats.arjuna.coordinator.abstractrecord.RecordTypeMap;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A participant with a class of the application's own: the log has a number for it, and a process that has not told
 * Narayana the class of this number cannot read the record. It commits by making a file, once it may.
 */
public final class Escrow extends AbstractRecord {
    private static final int TYPE = RecordType.USER_DEF_FIRST1;

    private String file;

    /** For Narayana, which fills it from the log. */
    public Escrow() {
        this.file = "";
    }

    /** @param file that it makes */
    Escrow(Path file) {
        super(new Uid());
        this.file = file.toString();
    }

    /** Tells Narayana of this process the class. */
    static void makeKnown() {
        RecordTypeManager.manager().add(new RecordTypeMap() {
            @Override
            public Class<? extends AbstractRecord> getRecordClass() {
                return Escrow.class;
            }

            @Override
            public int getType() {
                return TYPE;
            }
        });
    }

    /** While this file is there, an escrow does not commit. */
    private static Path heldBy(Path file) {
        return file.resolveSibling(NightBook.AWAY);
    }

    @Override
    public int topLevelPrepare() {
        return TwoPhaseOutcome.PREPARE_OK;
    }

    @Override
    public int topLevelCommit() {
        Path made = Path.of(file);
        if (Files.exists(heldBy(made))) {
            return TwoPhaseOutcome.FINISH_ERROR;
        }
        try {
            Files.writeString(made, "");
            return TwoPhaseOutcome.FINISH_OK;
        } catch (IOException failed) {
            return TwoPhaseOutcome.FINISH_ERROR;
        }
    }

    @Override
    public int topLevelAbort() {
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public int nestedPrepare() {
        return TwoPhaseOutcome.PREPARE_OK;
    }

    @Override
    public int nestedCommit() {
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public int nestedAbort() {
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public boolean doSave() {
        return true;
    }

    @Override
    public boolean save_state(OutputObjectState state, int type) {
        try {
            state.packString(file);
            return super.save_state(state, type);
        } catch (IOException failed) {
            return false;
        }
    }

    @Override
    public boolean restore_state(InputObjectState state, int type) {
        try {
            file = state.unpackString();
            return super.restore_state(state, type);
        } catch (IOException failed) {
            return false;
        }
    }

    @Override
    public int typeIs() {
        return TYPE;
    }

    @Override
    public String type() {
        return "/StateManager/AbstractRecord/Escrow";
    }

    @Override
    public Object value() {
        return file;
    }

    @Override
    public void setValue(Object value) {
        file = (String) value;
    }

    @Override
    public void merge(AbstractRecord other) {
        // there is one in a transaction
    }

    @Override
    public void alter(AbstractRecord other) {
        // there is one in a transaction
    }

    @Override
    public boolean shouldAdd(AbstractRecord other) {
        return false;
    }

    @Override
    public boolean shouldAlter(AbstractRecord other) {
        return false;
    }

    @Override
    public boolean shouldMerge(AbstractRecord other) {
        return false;
    }

    @Override
    public boolean shouldReplace(AbstractRecord other) {
        return false;
    }
}
