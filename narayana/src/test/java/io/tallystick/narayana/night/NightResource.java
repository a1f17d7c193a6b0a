package io.tallystick.narayana.night;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/** A resource of a night, see {@link NightBook}. It answers the outcome of its transaction as it is told to. */
public final class NightResource implements XAResourceWrapper {
    private static final HexFormat HEX = HexFormat.of();

    private final Path directory;
    private final String label;
    private final int code;

    /**
     * For one transaction, or for recovery.
     *
     * @param book has all resources
     * @param name of this one
     * @param label of the transaction
     * @param code the XA error with which it answers the outcome, or the prepare if it is {@code XA_RBROLLBACK}; 0 for
     *     none
     */
    NightResource(NightBook book, String name, String label, int code) throws IOException {
        this.directory = Files.createDirectories(book.directory().resolve(name));
        this.label = label;
        this.code = code;
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        if (code == XAException.XA_RBROLLBACK) {
            throw new XAException(code);
        }
        try {
            Files.writeString(file(xid, NightBook.PREPARED), label);
        } catch (IOException failed) {
            throw failure(failed);
        }
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        checkThere();
        if (onePhase) {
            prepare(xid);
        }
        end(
                xid,
                switch (code) {
                    case XAException.XA_HEURRB, XAException.XA_HEURHAZ -> NightBook.ROLLED_BACK;
                    case XAException.XAER_RMERR -> NightBook.PREPARED;
                    default -> NightBook.COMMITTED;
                });
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        checkThere();
        if (Files.exists(file(xid, NightBook.PREPARED))) {
            end(xid, code == XAException.XA_HEURCOM ? NightBook.COMMITTED : NightBook.ROLLED_BACK);
        }
    }

    private void end(Xid xid, String state) throws XAException {
        try {
            Files.move(file(xid, NightBook.PREPARED), file(xid, state), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw Files.exists(file(xid, NightBook.PREPARED))
                    ? failure(failed)
                    : new XAException(XAException.XAER_NOTA);
        }
        if (code != 0) {
            throw new XAException(code);
        }
    }

    private void checkThere() throws XAException {
        if (Files.exists(directory.resolve(NightBook.AWAY))) {
            throw new XAException(XAException.XAER_RMFAIL);
        }
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        checkThere();
        if ((flag & TMSTARTRSCAN) == 0) {
            return new Xid[0];
        }
        List<Xid> xids = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*." + NightBook.PREPARED)) {
            for (Path file : files) {
                String[] parts = file.getFileName().toString().split("[-.]");
                xids.add(new NightXid(HexFormat.fromHexDigits(parts[0]), parts[1], parts[2]));
            }
        } catch (IOException failed) {
            throw failure(failed);
        }
        return xids.toArray(Xid[]::new);
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

    private static XAException failure(IOException cause) {
        XAException failure = new XAException(XAException.XAER_RMERR);
        failure.initCause(cause);
        return failure;
    }

    @Override
    public void start(Xid xid, int flags) {}

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public void forget(Xid xid) {}

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof NightResource that && directory.equals(that.directory);
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
        return "Night";
    }

    @Override
    public String getProductVersion() {
        return "1";
    }

    @Override
    public String getJndiName() {
        return directory.getFileName().toString();
    }
}
