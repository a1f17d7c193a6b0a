package io.tallystick.testkit.contract;

import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of {@link ObjectStore} as tests. The test of a store, or of an adaptor of one, extends this class. It
 * says in {@link #open} how the store opens, and passes every test unchanged:
 *
 * <pre>{@code
 * class MyStoreContractTest extends ObjectStoreContract {
 *     @Override
 *     protected ObjectStore open(Path directory) {
 *         return MyStore.open(directory);
 *     }
 * }
 * }</pre>
 *
 * <p>The other methods to override tell physical differences between stores; no test can be left out. Each test has a
 * directory of its own. A test that opens the store a second time passes the same directory.
 *
 * <p>Each part of the contract is an interface of its own; read {@link MovesContract} first.
 */
@Timeout(120)
public abstract class ObjectStoreContract
        implements MovesContract,
                ValuesContract,
                NamesContract,
                ScansContract,
                AsyncContract,
                DurabilityContract,
                ThreadsContract,
                InterruptContract,
                ClosingContract,
                OwnershipContract,
                StatisticsContract,
                HealthContract,
                HistoryContract {
    /** The default of {@link #maxStateBytes}, bytes: the same as that of the option of all stores. */
    public static final int DEFAULT_MAX_STATE_BYTES = 1 << 20;

    @TempDir
    private Path temporary;

    private StoreUnderTest subject;

    /** For subclasses. */
    protected ObjectStoreContract() {}

    /**
     * Opens the store in this directory. The directory may be missing, or hold the files of the closed store. A store
     * without a directory ignores it.
     */
    protected abstract ObjectStore open(Path directory);

    /** Whether {@link #open} finds the states of a closed store again; false for a store in memory. */
    protected boolean isDurable() {
        return true;
    }

    /** Whether the store lies in the directory that {@link #open} is given; not so in memory or on another machine. */
    protected boolean hasDirectory() {
        return isDurable();
    }

    /** The size of the largest state that the store from {@link #open} accepts, bytes. */
    protected int maxStateBytes() {
        return DEFAULT_MAX_STATE_BYTES;
    }

    /**
     * A different id for each number: 28 bytes, as long as Narayana's. Override it if the ids of the store have a form
     * of their own.
     */
    protected ObjectId idOf(long number) {
        return ObjectId.of(ByteBuffer.allocate(28)
                .putLong(0x0a00_0001_7f00_0001L)
                .putInt(0x9c41)
                .putLong(0x6750_0000_0000L)
                .putLong(number)
                .array());
    }

    /** Ids of extreme form, each different from the others and from those of {@link #idOf}. */
    protected List<ObjectId> edgeIds() {
        List<ObjectId> ids = new ArrayList<>();
        for (int length : new int[] {1, 2, 3, 63, 64}) {
            byte[] ones = new byte[length];
            Arrays.fill(ones, (byte) 0xff);
            ids.add(ObjectId.of(new byte[length]));
            ids.add(ObjectId.of(ones));
        }
        for (String text : List.of(".", "..", "/", "../../x", "\n", "CON", "%00", "a b ", ":")) {
            ids.add(ObjectId.of(text.getBytes(StandardCharsets.US_ASCII)));
        }
        return ids;
    }

    @Override
    public final StoreUnderTest subject() {
        return subject;
    }

    @BeforeEach
    final void prepareStoreUnderTest() {
        subject = new StoreUnderTest(
                temporary.resolve("store"),
                this::open,
                this::idOf,
                edgeIds(),
                isDurable(),
                hasDirectory(),
                maxStateBytes());
    }

    @AfterEach
    final void closeStoreUnderTest() {
        subject.closeAll();
    }
}
