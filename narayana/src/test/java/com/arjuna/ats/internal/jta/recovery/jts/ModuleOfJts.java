package com.arjuna.ats.internal.jta.recovery.jts;

import com.arjuna.ats.arjuna.recovery.RecoveryModule;

/** A module where Narayana has those of JTS, whose jar is no dependency of ours. */
public final class ModuleOfJts implements RecoveryModule {
    @Override
    public void periodicWorkFirstPass() {
        // finds nothing
    }

    @Override
    public void periodicWorkSecondPass() {
        // finds nothing
    }
}
