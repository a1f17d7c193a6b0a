import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.*;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A resource manager that keeps one number. Serializable: so the log can say whom to ask after a crash. */
public class Account implements XAResource, Serializable {
    private static final long serialVersionUID = 1;

    static boolean pauses;

    private final String name;
    private final int opening;
    private transient int change;

    Account(String name, int opening) {
        this.name = name;
        this.opening = opening;
    }

    Account changedBy(int amount) {
        change = amount;
        return this;
    }

    int balance() throws XAException {
        return Files.exists(account()) ? Integer.parseInt(line(account(), 0)) : opening;
    }

    /** Votes. After a yes the new balance lies beside the old one, as an intent that survives a crash. */
    @Override
    public int prepare(Xid xid) throws XAException {
        int balance = balance() + change;
        if (balance < 0 || Files.exists(intent())) {
            throw new XAException(XAException.XA_RBROLLBACK); // no: too poor, or another transaction has the account
        }
        write(balance + "\n" + text(xid) + "\n", intent());
        System.out.println(name + " prepared " + balance);
        return XA_OK;
    }

    /** The intent becomes the account, in one step. */
    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        if (!isPrepared(xid)) {
            System.out.println(name + " has committed before");
            throw new XAException(XAException.XAER_NOTA); // no such branch
        }
        move(intent(), account());
        System.out.println(name + " committed " + balance());
        while (pauses) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        if (isPrepared(xid)) {
            move(intent(), Path.of("accounts", name + ".rolledback"));
            System.out.println(name + " rolled back");
        }
    }

    /** The branches that wait for a decision: none or one. */
    @Override
    public Xid[] recover(int flag) throws XAException {
        return Files.exists(intent()) ? new Xid[] {xid(line(intent(), 1))} : new Xid[0];
    }

    private boolean isPrepared(Xid xid) throws XAException {
        return Files.exists(intent()) && line(intent(), 1).equals(text(xid));
    }

    private Path account() {
        return Path.of("accounts", name);
    }

    private Path intent() {
        return Path.of("accounts", name + ".prepared");
    }

    private static String line(Path file, int number) throws XAException {
        try {
            return Files.readAllLines(file).get(number);
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private static void write(String content, Path file) throws XAException {
        try {
            Path unnamed = Path.of(file + ".new");
            Files.createDirectories(file.getParent());
            Files.writeString(unnamed, content, CREATE, WRITE, TRUNCATE_EXISTING, SYNC);
            move(unnamed, file);
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private static void move(Path from, Path to) throws XAException {
        try {
            Files.move(from, to, ATOMIC_MOVE);
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private static XAException failure(IOException cause) {
        XAException failure = new XAException(XAException.XAER_RMFAIL);
        failure.initCause(cause);
        return failure;
    }

    private static String text(Xid xid) {
        HexFormat hex = HexFormat.of();
        return xid.getFormatId() + " " + hex.formatHex(xid.getGlobalTransactionId()) + " " + hex.formatHex(xid.getBranchQualifier());
    }

    private static Xid xid(String text) {
        String[] parts = text.split(" ");
        return new Branch(Integer.parseInt(parts[0]), HexFormat.of().parseHex(parts[1]), HexFormat.of().parseHex(parts[2]));
    }

    private record Branch(int getFormatId, byte[] getGlobalTransactionId, byte[] getBranchQualifier) implements Xid {}

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof Account account && account.name.equals(name);
    }

    @Override
    public void start(Xid xid, int flags) {}

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public void forget(Xid xid) {}

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }
}
