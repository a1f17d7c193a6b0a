package io.tallystick.narayana.doubt;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Values of objects that are compared by identity, and that nothing here keeps. */
@Timeout(60)
class WeakIdentitiesTest {
    private final WeakIdentities<Object> values = new WeakIdentities<>();

    @Test
    void equalObjectsHaveValuesOfTheirOwn() {
        Object one = List.of(1, 2);
        Object other = List.of(1, 2);
        Object value = values.computeIfAbsent(one, Object::new);

        assertThat(one).isEqualTo(other);
        assertThat(values.computeIfAbsent(one, Object::new)).isSameAs(value);
        assertThat(values.computeIfAbsent(other, Object::new)).isNotSameAs(value);
    }

    @Test
    void anObjectThatNothingElseHoldsGoesAndItsValueToo() {
        WeakReference<Object> value = valueOfADeadObject();
        while (!value.refersTo(null)) {
            System.gc();
            values.computeIfAbsent(this, Object::new);
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(value.refersTo(null)).isTrue();
    }

    private WeakReference<Object> valueOfADeadObject() {
        return new WeakReference<>(values.computeIfAbsent(new Object(), Object::new));
    }
}
