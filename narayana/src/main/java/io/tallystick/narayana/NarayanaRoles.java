package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Which class serves each of Narayana's three roles of a store, as its beans say when it starts one of them. Warns
 * where only some are ours: that is what a setting for one role alone makes, and it is hardly ever meant.
 */
final class NarayanaRoles {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());
    private static final String OURS = TallystickObjectStore.class.getName();
    private static final NarayanaRoles OF_THIS_PROCESS = new NarayanaRoles(NarayanaRoles::classOf);

    private final UnaryOperator<String> classOfBean;
    private final ToldOnce told = new ToldOnce();

    /** @param classOfBean the class in the bean of this name, which is null for the log's */
    NarayanaRoles(UnaryOperator<String> classOfBean) {
        this.classOfBean = classOfBean;
    }

    static NarayanaRoles ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    // A role whose bean cannot be made is Narayana's to refuse, when it is needed.
    private static String classOf(String bean) {
        try {
            return BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, bean)
                    .getObjectStoreType();
        } catch (RuntimeException unreadable) {
            return "not known (" + unreadable.getMessage() + ")";
        }
    }

    /**
     * Warns, once, where one role has our class and another one does not. Where none has, a program has made the
     * adaptors itself and knows which.
     */
    void warnIfDivided() {
        Map<String, String> classes = new LinkedHashMap<>();
        classes.put("the log", classOfBean.apply(null));
        classes.put("states (stateStore)", classOfBean.apply("stateStore"));
        classes.put("messages (communicationStore)", classOfBean.apply("communicationStore"));
        if (!classes.containsValue(OURS) || classes.values().stream().allMatch(OURS::equals)) {
            return;
        }
        String text = "TALLY0416 only some of Narayana's roles use this store: "
                + classes.entrySet().stream()
                        .map(role -> role.getKey() + "=" + role.getValue())
                        .collect(Collectors.joining(", "))
                + "; recovery reads in the log what is written as messages. Set the class for all three, most simply"
                + " -Dcom.arjuna.ats.arjuna.objectstore.objectStoreType=" + OURS;
        if (told.isNew(text)) {
            LOG.log(Level.WARNING, text);
        }
    }
}
