package io.tallystick.narayana.recover;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceRecovery;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.narayana.recover.Arguments.Helper;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.transaction.xa.XAResource;

/** The resources that recovery asks for prepared branches. */
public final class Resources {
    private final List<XAResourceRecoveryHelper> helpers = new ArrayList<>();
    private final List<XAResourceRecovery> recoveries;

    private Resources(List<XAResourceRecovery> configured) {
        this.recoveries = new ArrayList<>(configured);
    }

    /**
     * Makes and initialises the helpers, beside those that Narayana's properties name.
     *
     * @throws IllegalArgumentException there is none, or one cannot be made; the text says why
     */
    public static Resources of(List<Helper> named) {
        Resources resources =
                new Resources(jtaPropertyManager.getJTAEnvironmentBean().getXaResourceRecoveries());
        named.forEach(resources::add);
        if (resources.helpers.isEmpty() && resources.recoveries.isEmpty()) {
            throw noneNamed();
        }
        return resources;
    }

    /** The refusal of a command that names no resource. */
    public static IllegalArgumentException noneNamed() {
        return new IllegalArgumentException("no resource is named, so no prepared branch would be found; give a"
                + " --helper for each resource of the node");
    }

    /**
     * Makes and initialises one helper.
     *
     * @throws IllegalArgumentException it cannot be made; the text says why
     */
    public static Source source(Helper named) {
        return sourceOf(made(named));
    }

    /** Makes those that Narayana's properties name. */
    public static List<Source> configured() {
        return jtaPropertyManager.getJTAEnvironmentBean().getXaResourceRecoveries().stream()
                .map(Resources::sourceOf)
                .toList();
    }

    /** What an audit asks: each helper, without Narayana's recovery. */
    public List<Source> sources() {
        return Stream.concat(helpers.stream(), recoveries.stream())
                .map(Resources::sourceOf)
                .toList();
    }

    private static Source sourceOf(Object made) {
        String name = made.getClass().getName();
        if (made instanceof XAResourceRecoveryHelper helper) {
            return new Source(name, () -> {
                XAResource[] resources = helper.getXAResources();
                return resources == null ? List.of() : List.of(resources);
            });
        }
        XAResourceRecovery recovery = (XAResourceRecovery) made;
        return new Source(name, () -> {
            List<XAResource> resources = new ArrayList<>();
            while (recovery.hasMoreResources()) {
                resources.add(recovery.getXAResource());
            }
            return resources;
        });
    }

    /**
     * A helper.
     *
     * @param name its class
     * @param given asks it
     */
    public record Source(String name, Callable<List<XAResource>> given) {
        /**
         * Asks it for its resources. A helper that gives none has not answered: some of them swallow an outage so.
         *
         * @throws Exception whatever a class of the user throws
         */
        public List<XAResource> resources() throws Exception {
            List<XAResource> resources = given.call();
            if (resources.isEmpty()) {
                throw new IllegalStateException("it gave no resource; it may not reach it, or its file names none");
            }
            return resources;
        }
    }

    /** Has Narayana ask the classes of the older kind. Before its recovery manager is made. */
    public void configure() {
        JTAEnvironmentBean bean = jtaPropertyManager.getJTAEnvironmentBean();
        bean.setXaResourceRecoveries(recoveries);
    }

    /** Has the module of recovery ask the helpers. */
    public void register(XARecoveryModule module) {
        helpers.forEach(module::addXAResourceRecoveryHelper);
    }

    private void add(Helper named) {
        Object made = made(named);
        if (made instanceof XAResourceRecoveryHelper helper) {
            helpers.add(helper);
        } else {
            recoveries.add((XAResourceRecovery) made);
        }
    }

    private static Object made(Helper named) {
        try {
            Object made = classOf(named.className()).getConstructor().newInstance();
            if (!isInitialised(made, named.text())) {
                throw refused(named, "its initialise() says no to '" + named.text() + "'", null);
            }
            return made;
        } catch (ReflectiveOperationException | LinkageError | SQLException trouble) {
            Throwable cause = trouble.getCause() == null ? trouble : trouble.getCause();
            throw refused(named, "it cannot be made: " + cause, trouble);
        }
    }

    private static boolean isInitialised(Object made, String text) throws SQLException {
        try {
            if (made instanceof XAResourceRecoveryHelper helper) {
                return helper.initialise(text);
            }
            if (made instanceof XAResourceRecovery recovery) {
                return recovery.initialise(text);
            }
        } catch (SQLException | IllegalArgumentException trouble) {
            throw trouble;
        } catch (Exception trouble) { // the first interface allows every kind, and a class of the user throws any
            throw new SQLException(trouble);
        }
        throw new IllegalArgumentException("--helper " + made.getClass().getName() + ": it is neither an "
                + XAResourceRecoveryHelper.class.getName() + " nor an " + XAResourceRecovery.class.getName());
    }

    private static Class<?> classOf(String name) throws ClassNotFoundException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return Class.forName(name, true, loader == null ? Resources.class.getClassLoader() : loader);
    }

    private static IllegalArgumentException refused(Helper named, String why, Throwable cause) {
        return new IllegalArgumentException(
                "--helper " + named.className() + ": " + why
                        + "; it must be on the class path, public, and have a public constructor without parameters",
                cause);
    }
}
