package io.tallystick.tool.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.AbstractRecord;
import com.arjuna.ats.arjuna.coordinator.RecordType;
import com.arjuna.ats.arjuna.coordinator.TwoPhaseOutcome;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import java.io.IOException;

/** A participant of a record class whose layout only its author knows. */
final class PrivateRecord extends AbstractRecord {
    /** What it packs before what every record packs, bytes. */
    static final int OWN_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES + 8;

    PrivateRecord() {
        super(new Uid());
    }

    @Override
    public boolean save_state(OutputObjectState state, int type) {
        try {
            state.packInt(463); // looks like the end of a list
            state.packLong(0);
            state.packString("private");
            return super.save_state(state, type);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public int typeIs() {
        return RecordType.USER_DEF_FIRST0;
    }

    @Override
    public boolean doSave() {
        return true;
    }

    @Override
    public Object value() {
        return null;
    }

    @Override
    public void setValue(Object value) {}

    @Override
    public int nestedAbort() {
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public int nestedCommit() {
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public int nestedPrepare() {
        return TwoPhaseOutcome.PREPARE_OK;
    }

    @Override
    public int topLevelAbort() {
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public int topLevelCommit() {
        return TwoPhaseOutcome.FINISH_ERROR;
    }

    @Override
    public int topLevelPrepare() {
        return TwoPhaseOutcome.PREPARE_OK;
    }

    @Override
    public void merge(AbstractRecord other) {}

    @Override
    public void alter(AbstractRecord other) {}

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
