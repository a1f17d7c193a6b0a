package io.tallystick.durability.subject;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqJournalEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor;
import io.tallystick.nativeio.LibaioLibrary;
import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** A store of Narayana as shipped, except that asynchronous I/O is really loaded if it is requested. */
final class PeerSubject implements Subject {
    private final String name;
    private final Kind kind;

    /** Which store. */
    enum Kind {
        /** ShadowNoFileLockStore, the default of Narayana. */
        FILE,
        /** HornetqObjectStoreAdaptor, over NIO. */
        JOURNAL_NIO,
        /** HornetqObjectStoreAdaptor, over AIO. */
        JOURNAL_AIO
    }

    PeerSubject(String name, Kind kind) {
        this.name = name;
        this.kind = kind;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Family family() {
        return Family.PEER;
    }

    @Override
    public Set<Trait> traits() {
        return EnumSet.of(Trait.DURABLE);
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        return kind == Kind.JOURNAL_AIO ? LibaioLibrary.load() : Optional.empty();
    }

    @Override
    public ObjectStore open(Path directory) {
        try {
            ObjectStoreAPI store = kind == Kind.FILE ? file(directory) : journal(directory);
            store.start();
            return new PeerStore(store);
        } catch (ObjectStoreException | IOException | RuntimeException refused) {
            throw new StoreIoException("the store in " + directory + " cannot be opened: " + refused, refused);
        }
    }

    @Override
    public ObjectStoreAPI openForNarayana(Path directory) {
        try {
            return kind == Kind.FILE ? file(directory) : journal(directory);
        } catch (ObjectStoreException | IOException refused) {
            throw new StoreIoException("the store in " + directory + " cannot be opened: " + refused, refused);
        }
    }

    @Override
    public ObjectStore open(Disk disk, Path directory) {
        throw new UnsupportedOperationException(name + " works only on the disk of the operating system");
    }

    private static ObjectStoreAPI file(Path directory) throws ObjectStoreException {
        ObjectStoreEnvironmentBean bean = new ObjectStoreEnvironmentBean();
        bean.setObjectStoreDir(directory.toString());
        return new ShadowNoFileLockStore(bean);
    }

    private ObjectStoreAPI journal(Path directory) throws IOException {
        HornetqJournalEnvironmentBean bean = new HornetqJournalEnvironmentBean();
        bean.setStoreDir(directory.toString());
        // The smallest files that it accepts, as for our stores.
        bean.setFileSize(512 * 1024);
        bean.setAsyncIO(kind == Kind.JOURNAL_AIO);
        if (kind == Kind.JOURNAL_AIO) {
            LibaioLibrary.load().ifPresent(reason -> {
                throw new IllegalStateException(reason);
            });
        }
        return new HornetqObjectStoreAdaptor(bean);
    }

    @Override
    public String toString() {
        return name;
    }
}
