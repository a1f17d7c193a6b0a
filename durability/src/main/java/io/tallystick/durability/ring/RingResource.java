package io.tallystick.durability.ring;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/**
 * An account as a resource manager: a branch is a file that is named by its Xid and holds an amount, and the file's
 * ending is the branch's state. The balance is the sum of all committed amounts.
 */
final class RingResource implements XAResourceWrapper {
    static final String PREPARED = "prepared";
    static final String COMMITTED = "committed";

    private static final HexFormat HEX = HexFormat.of();

    private final Path directory;
    private final int amount;
    private final Consumer<String> listener;
    private volatile String transaction = "";

    /**
     * A resource for one transaction, or for recovery.
     *
     * @param amount the amount that the transaction adds to the balance
     * @param listener is called before and after each step, and may never return
     */
    RingResource(Path directory, int amount, Consumer<String> listener) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.amount = amount;
        this.listener = listener;
    }

    /** The amounts of the branches in that state, by their transaction. */
    static Map<String, Integer> amounts(Path directory, String state) throws IOException {
        Map<String, Integer> amounts = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*." + state)) {
            for (Path file : files) {
                String transaction = file.getFileName().toString().split("[-.]")[1];
                try {
                    amounts.merge(transaction, Integer.parseInt(Files.readString(file)), Integer::sum);
                } catch (NoSuchFileException ended) {
                    // another process has ended the branch meanwhile
                }
            }
        }
        return amounts;
    }

    /** The transaction manager's id of the transaction, in hexadecimal. */
    String transaction() {
        return transaction;
    }

    @Override
    public void start(Xid xid, int flags) {
        transaction = HEX.formatHex(xid.getGlobalTransactionId());
    }

    @Override
    public void end(Xid xid, int flags) {
        // nothing is done in between
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        listener.accept("before prepare");
        try {
            // Complete before it has its name.
            Path written = Files.writeString(file(xid, "new"), String.valueOf(amount));
            Files.move(written, file(xid, PREPARED), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMERR, failed);
        }
        listener.accept("after prepare");
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        listener.accept("before commit");
        if (onePhase) {
            prepare(xid);
        }
        try {
            Files.move(file(xid, PREPARED), file(xid, COMMITTED), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException unknown) {
            throw failure(XAException.XAER_NOTA, unknown);
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMFAIL, failed);
        }
        listener.accept("after commit");
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        listener.accept("before rollback");
        try {
            Files.deleteIfExists(file(xid, PREPARED));
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMFAIL, failed);
        }
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        if ((flag & TMSTARTRSCAN) == 0) {
            return new Xid[0];
        }
        List<Xid> xids = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*." + PREPARED)) {
            for (Path file : files) {
                String[] parts = file.getFileName().toString().split("[-.]");
                xids.add(new Branch(Integer.parseInt(parts[0], 16), HEX.parseHex(parts[1]), HEX.parseHex(parts[2])));
            }
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMERR, failed);
        }
        return xids.toArray(Xid[]::new);
    }

    @Override
    public void forget(Xid xid) {
        // it decides nothing alone
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof RingResource that && directory.equals(that.directory);
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    @Override
    public XAResource getResource() {
        return this;
    }

    @Override
    public String getProductName() {
        return "RingResource";
    }

    @Override
    public String getProductVersion() {
        return "1";
    }

    @Override
    public String getJndiName() {
        return directory.getFileName().toString();
    }

    private Path file(Xid xid, String state) {
        return directory.resolve(HEX.toHexDigits(xid.getFormatId())
                + '-'
                + HEX.formatHex(xid.getGlobalTransactionId())
                + '-'
                + HEX.formatHex(xid.getBranchQualifier())
                + '.'
                + state);
    }

    private static XAException failure(int code, IOException cause) {
        XAException failure = new XAException(code);
        failure.initCause(cause);
        return failure;
    }

    private record Branch(int formatId, byte[] globalTransactionId, byte[] branchQualifier) implements Xid {
        @Override
        public int getFormatId() {
            return formatId;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return globalTransactionId.clone();
        }

        @Override
        public byte[] getBranchQualifier() {
            return branchQualifier.clone();
        }
    }
}
