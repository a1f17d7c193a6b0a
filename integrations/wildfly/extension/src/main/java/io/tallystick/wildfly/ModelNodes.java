package io.tallystick.wildfly;

import java.util.List;
import java.util.Map;
import org.jboss.dmr.ModelNode;

/** Named values in the form of WildFly's management. */
final class ModelNodes {
    private ModelNodes() {}

    /**
     * The same names and values.
     *
     * @param value a text, a number, a truth value, a map whose keys are texts, or a list; of such
     */
    static ModelNode of(Object value) {
        if (value instanceof Map<?, ?> values) {
            ModelNode node = new ModelNode().setEmptyObject();
            values.forEach((name, each) -> node.get(name.toString()).set(of(each)));
            return node;
        }
        if (value instanceof List<?> values) {
            ModelNode node = new ModelNode().setEmptyList();
            values.forEach(each -> node.add(of(each)));
            return node;
        }
        if (value instanceof Integer number) {
            return new ModelNode(number);
        }
        if (value instanceof Long number) {
            return new ModelNode(number);
        }
        if (value instanceof Boolean truth) {
            return new ModelNode(truth);
        }
        return new ModelNode(value.toString());
    }
}
