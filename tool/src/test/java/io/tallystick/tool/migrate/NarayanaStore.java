package io.tallystick.tool.migrate;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.internal.arjuna.objectstore.ActionStore;
import com.arjuna.ats.internal.arjuna.objectstore.HashedStore;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowingStore;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqJournalEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor;
import com.arjuna.ats.internal.arjuna.objectstore.jdbc.JDBCStore;
import com.arjuna.ats.internal.arjuna.objectstore.slot.DiskSlots;
import com.arjuna.ats.internal.arjuna.objectstore.slot.MappedDiskSlots;
import com.arjuna.ats.internal.arjuna.objectstore.slot.SlotStoreAdaptor;
import com.arjuna.ats.internal.arjuna.objectstore.slot.SlotStoreEnvironmentBean;
import java.nio.file.Path;

/** Narayana's own stores. */
enum NarayanaStore {
    FILES(true) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            return new ShadowNoFileLockStore(files(directory));
        }
    },
    LOCKED_FILES(true) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            return new ShadowingStore(files(directory));
        }
    },
    HASHED_FILES(true) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            return new HashedStore(files(directory));
        }
    },
    ACTION_FILES(false) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            return new ActionStore(files(directory));
        }
    },
    JOURNAL(false) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            HornetqJournalEnvironmentBean bean = new HornetqJournalEnvironmentBean();
            bean.setAsyncIO(false);
            bean.setStoreDir(directory.toString());
            return new HornetqObjectStoreAdaptor(bean);
        }
    },
    SLOTS(false) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            SlotStoreEnvironmentBean bean = slots(directory);
            bean.setBackingSlots(new DiskSlots());
            return new SlotStoreAdaptor(bean);
        }
    },
    MAPPED_SLOTS(false) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            SlotStoreEnvironmentBean bean = slots(directory);
            bean.setBackingSlots(new MappedDiskSlots());
            return new SlotStoreAdaptor(bean);
        }
    },
    TABLE(true) {
        @Override
        ObjectStoreAPI make(Path directory) throws Exception {
            ObjectStoreEnvironmentBean bean = new ObjectStoreEnvironmentBean();
            // A database writes what was committed to its file half a second later unless it is told otherwise.
            bean.setJdbcAccess("com.arjuna.ats.internal.arjuna.objectstore.jdbc.accessors.DynamicDataSourceJDBCAccess"
                    + ";ClassName=org.h2.jdbcx.JdbcDataSource;URL=" + url(directory)
                    + "\\semiWRITE_DELAY\\equ0;User=sa;Password=secret");
            bean.setTablePrefix("Action");
            return new JDBCStore(bean);
        }

        @Override
        String from(Path directory) {
            return url(directory);
        }

        private String url(Path directory) {
            return "jdbc:h2:" + directory.resolve("tx");
        }
    };

    /** What {@link #TABLE} is called. */
    static final String TABLE_NAME = "ActionJBossTSTxTable";

    private final boolean hasShadows;

    NarayanaStore(boolean hasShadows) {
        this.hasShadows = hasShadows;
    }

    abstract ObjectStoreAPI make(Path directory) throws Exception;

    /** The store in the directory, started. */
    ObjectStoreAPI open(Path directory) throws Exception {
        ObjectStoreAPI store = make(directory);
        store.start();
        return store;
    }

    /** Whether it knows uncommitted and hidden values. */
    boolean hasShadows() {
        return hasShadows;
    }

    /** What the tool is given for it. */
    String from(Path directory) {
        return directory.toString();
    }

    private static ObjectStoreEnvironmentBean files(Path directory) {
        ObjectStoreEnvironmentBean bean = new ObjectStoreEnvironmentBean();
        bean.setObjectStoreDir(directory.toString());
        return bean;
    }

    private static SlotStoreEnvironmentBean slots(Path directory) {
        SlotStoreEnvironmentBean bean = new SlotStoreEnvironmentBean();
        bean.setStoreDir(directory.toString());
        bean.setNumberOfSlots(16);
        return bean;
    }
}
