package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** States with a text in them, written and read the way Narayana's own code does it. */
final class NarayanaView {
    private NarayanaView() {}

    static Uid uid(int number) {
        return new Uid(new long[] {0x7f000001L, 0x0a000001L}, 4711, 1_700_000_000, number);
    }

    static OutputObjectState state(Uid uid, String type, String text) {
        OutputObjectState state = new OutputObjectState(uid, type);
        try {
            state.packString(text);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
        return state;
    }

    /** The text in the state; null where there is no state. */
    static String text(InputObjectState state) {
        try {
            return state == null ? null : state.unpackString();
        } catch (IOException torn) {
            throw new AssertionError(torn);
        }
    }

    static List<Uid> uids(ObjectStoreAPI store, String type) throws ObjectStoreException {
        return uids(store, type, StateStatus.OS_UNKNOWN);
    }

    static List<Uid> uids(ObjectStoreAPI store, String type, int match) throws ObjectStoreException {
        InputObjectState found = new InputObjectState();
        if (!store.allObjUids(type, found, match)) {
            throw new AssertionError("allObjUids answered false");
        }
        List<Uid> uids = new ArrayList<>();
        try {
            for (Uid uid = UidHelper.unpackFrom(found);
                    uid.notEquals(Uid.nullUid());
                    uid = UidHelper.unpackFrom(found)) {
                uids.add(uid);
            }
        } catch (IOException torn) {
            throw new AssertionError("the list of Uids does not end with the null Uid", torn);
        }
        return uids;
    }

    static List<String> types(ObjectStoreAPI store) throws ObjectStoreException {
        InputObjectState found = new InputObjectState();
        if (!store.allTypes(found)) {
            throw new AssertionError("allTypes answered false");
        }
        List<String> types = new ArrayList<>();
        try {
            for (String type = found.unpackString(); !type.isEmpty(); type = found.unpackString()) {
                types.add(type);
            }
        } catch (IOException torn) {
            throw new AssertionError("the list of types does not end with the empty name", torn);
        }
        return types;
    }
}
