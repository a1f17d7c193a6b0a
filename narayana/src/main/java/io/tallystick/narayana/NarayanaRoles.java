package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.store.StoreConfiguration;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The classes that serve Narayana's three roles of a store, as its beans name them when a role starts. It warns if only
 * some of them are ours. The cause is a setting for one role alone, which is rarely intended.
 */
final class NarayanaRoles {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());
    private static final String OURS = TallystickObjectStore.class.getName();
    private static final NarayanaRoles OF_THIS_PROCESS = new NarayanaRoles(NarayanaRoles::classOf);

    private final UnaryOperator<String> classOfBean;
    private final ToldOnce told = new ToldOnce();

    /**
     * @param classOfBean gives the class in the bean of a name; the name of the log's bean is null
     */
    NarayanaRoles(UnaryOperator<String> classOfBean) {
        this.classOfBean = classOfBean;
    }

    static NarayanaRoles ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    // Narayana refuses a role whose bean cannot be made when it needs that role.
    private static String classOf(String bean) {
        try {
            return BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, bean)
                    .getObjectStoreType();
        } catch (RuntimeException unreadable) {
            return "not known (" + unreadable.getMessage() + ")";
        }
    }

    /**
     * Warns once if one role has our class and another has not. If no role has our class, a program has made the
     * adaptor itself and chosen its role.
     */
    void warnIfDivided() {
        Map<String, String> classes = classes();
        if (!classes.containsValue(OURS) || classes.values().stream().allMatch(OURS::equals)) {
            return;
        }
        String text = "TALLY0416 only some of Narayana's roles use this store: "
                + classes.entrySet().stream()
                        .map(role -> role.getKey() + "=" + role.getValue())
                        .collect(Collectors.joining(", "))
                + "; recovery reads only the log, not another store of messages. Set the class for all three, most"
                + " simply -Dcom.arjuna.ats.arjuna.objectstore.objectStoreType=" + OURS;
        if (told.isNew(text)) {
            LOG.log(Level.WARNING, text);
        }
    }

    /** Whether no role has our class: a program has made the adaptor. */
    boolean areChosenByProgram() {
        return !classes().containsValue(OURS);
    }

    /** Whether the log has our class, and its settings name the place that this configuration names. */
    boolean haveLogAt(StoreConfiguration configuration) {
        if (!OURS.equals(classOfBean.apply(null))) {
            return false;
        }
        try {
            return OpenStores.isOnePlace(
                    configuration,
                    StoreSettings.of(
                            BeanPopulator.getDefaultInstance(TallystickStoreEnvironmentBean.class),
                            BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)));
        } catch (IllegalArgumentException logCannotBeOpened) {
            return true; // another place cannot be proven
        }
    }

    private Map<String, String> classes() {
        Map<String, String> classes = new LinkedHashMap<>();
        classes.put("the log", classOfBean.apply(null));
        classes.put("states (stateStore)", classOfBean.apply("stateStore"));
        classes.put("messages (communicationStore)", classOfBean.apply("communicationStore"));
        return classes;
    }
}
