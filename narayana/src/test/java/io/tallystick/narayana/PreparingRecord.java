package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.AbstractRecord;
import com.arjuna.ats.arjuna.coordinator.RecordType;
import com.arjuna.ats.arjuna.coordinator.TwoPhaseOutcome;

/** A participant of an action that does something while it is prepared, and has nothing to commit. */
final class PreparingRecord extends AbstractRecord {
    private final Runnable action;

    PreparingRecord(Runnable action) {
        super(new Uid());
        this.action = action;
    }

    @Override
    public int topLevelPrepare() {
        action.run();
        return TwoPhaseOutcome.PREPARE_READONLY;
    }

    @Override
    public int topLevelOnePhaseCommit() {
        action.run();
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public int typeIs() {
        return RecordType.USER_DEF_FIRST0;
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
        return TwoPhaseOutcome.FINISH_OK;
    }

    @Override
    public void merge(AbstractRecord record) {}

    @Override
    public void alter(AbstractRecord record) {}

    @Override
    public boolean shouldAdd(AbstractRecord record) {
        return false;
    }

    @Override
    public boolean shouldAlter(AbstractRecord record) {
        return false;
    }

    @Override
    public boolean shouldMerge(AbstractRecord record) {
        return false;
    }

    @Override
    public boolean shouldReplace(AbstractRecord record) {
        return false;
    }
}
