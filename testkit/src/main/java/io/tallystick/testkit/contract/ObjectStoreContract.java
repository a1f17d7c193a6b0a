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
 * The contract of {@link ObjectStore} as tests. Whoever writes a store, or an adaptor through which one is seen,
 * extends this class, says in {@link #open} how to open it, and passes every test unchanged:
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
 * <p>The other methods to override tell what is physically different in a store, not what it leaves out. Each test has
 * a directory of its own, which {@code open} is given again to see what a closed store left there.
 *
 * <p>The tests stand in one interface for each part of the contract, {@link MovesContract} first.
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
    /** What {@link #maxStateBytes} answers unless it is overridden, bytes: the default of the option of all stores. */
    public static final int DEFAULT_MAX_STATE_BYTES = 1 << 20;

    @TempDir
    private Path temporary;

    private StoreUnderTest subject;

    /** For subclasses. */
    protected ObjectStoreContract() {}

    /**
     * Opens the store in this directory, which may be missing, or hold what the store left there when it was closed.
     * A store without a directory ignores it.
     */
    protected abstract ObjectStore open(Path directory);

    /** Whether a store that was closed is found again by {@link #open}; not so in memory. */
    protected boolean isDurable() {
        return true;
    }

    /** The largest state that the store accepts as {@link #open} makes it, bytes. */
    protected int maxStateBytes() {
        return DEFAULT_MAX_STATE_BYTES;
    }

    /** A different id for each number; 28 bytes, as long as Narayana's. Overridden where ids have a form. */
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
                temporary.resolve("store"), this::open, this::idOf, edgeIds(), isDurable(), maxStateBytes());
    }

    @AfterEach
    final void closeStoreUnderTest() {
        subject.closeAll();
    }
}
