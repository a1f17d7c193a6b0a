package io.tallystick.narayana;

import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreOption;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The contract of every store, asked of it through the adaptor. */
abstract class ContractThroughNarayana extends ObjectStoreContract {
    private static final int MAX_STATE_BYTES = 64 * 1024;

    private final StoreKind kind;

    ContractThroughNarayana(StoreKind kind) {
        this.kind = kind;
    }

    @Override
    protected ObjectStore open(Path directory) {
        ObjectStore below = ObjectStores.open(kind.configure(directory)
                .set(StoreOption.MAX_STATE_SIZE, (long) MAX_STATE_BYTES + SeenThroughNarayana.ADDED_BYTES)
                .build());
        return new SeenThroughNarayana(below, MAX_STATE_BYTES);
    }

    @Override
    protected int maxStateBytes() {
        return MAX_STATE_BYTES;
    }

    @Override
    protected boolean isDurable() {
        return kind.isDurable();
    }

    /** Uids have 28 bytes, not all of them zero. */
    @Override
    protected List<ObjectId> edgeIds() {
        byte[] ones = new byte[NarayanaKeys.UID_BYTES];
        Arrays.fill(ones, (byte) 0xff);
        byte[] lowest = new byte[NarayanaKeys.UID_BYTES];
        lowest[lowest.length - 1] = 1;
        byte[] negative = ByteBuffer.allocate(NarayanaKeys.UID_BYTES)
                .putLong(Long.MIN_VALUE)
                .putLong(-1)
                .putInt(-1)
                .putInt(Integer.MIN_VALUE)
                .array();
        return List.of(ObjectId.of(ones), ObjectId.of(lowest), ObjectId.of(negative));
    }
}
