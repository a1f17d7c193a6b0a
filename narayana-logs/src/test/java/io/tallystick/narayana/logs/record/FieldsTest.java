package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FieldsTest {
    @Test
    void valuesKeepTheirOrderAndMayBeNull() {
        Fields fields = new Fields().put("b", 1).put("a", null);
        fields.putAll(new Fields().put("c", true));

        assertThat(fields.values().toString()).isEqualTo("{b=1, a=null, c=true}");
        assertThat(fields.remove("b")).isEqualTo(1);
        assertThat(fields.get("b")).isNull();
    }

    @Test
    void aReaderCannotChangeThem() {
        Map<String, Object> values = new Fields().put("a", 1).values();

        assertThatThrownBy(() -> values.put("b", 2)).isInstanceOf(UnsupportedOperationException.class);
    }
}
