package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jboss.dmr.ModelNode;
import org.jboss.dmr.ModelType;
import org.junit.jupiter.api.Test;

class ModelNodesTest {
    @Test
    void everyNameAndValueIsTakenOver() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("text", "a");
        values.put("number", 1);
        values.put("long", 2L);
        values.put("truth", true);
        values.put("none", Map.of());
        values.put("list", List.of(Map.of("name", "b"), "c"));

        ModelNode node = ModelNodes.of(values);

        assertThat(node.keys()).containsExactlyElementsOf(values.keySet());
        assertThat(node.get("text").asString()).isEqualTo("a");
        assertThat(node.get("number").getType()).isEqualTo(ModelType.INT);
        assertThat(node.get("long").asLong()).isEqualTo(2);
        assertThat(node.get("truth").asBoolean()).isTrue();
        assertThat(node.get("none").isDefined()).isTrue();
        assertThat(node.get("list").get(0).get("name").asString()).isEqualTo("b");
        assertThat(node.get("list").get(1).asString()).isEqualTo("c");
    }

    @Test
    void anEmptyListIsDefined() {
        assertThat(ModelNodes.of(List.of())).isEqualTo(new ModelNode().setEmptyList());
    }
}
