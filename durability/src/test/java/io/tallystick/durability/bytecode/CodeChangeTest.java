package io.tallystick.durability.bytecode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each word of the vocabulary does what it says, and a change that does not fit is refused. */
class CodeChangeTest {
    private static final String UNCHANGED = "[first=5, write, second=10, end] written=3";

    @Test
    void withoutAChangeThereIsNoEffect() throws Exception {
        assertThat(resultOf("run")).isEqualTo(UNCHANGED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    run | skip Steps.write | [first=5, second=10, end] written=3
                    run | skip List.add | [first=5, write, second=10] written=3
                    run | skip Steps.write if parameter 1 count < 1 | [first=5, second=10, end] written=3
                    run | skip Steps.write if parameter 1 count = 0 | [first=5, second=10, end] written=3
                    run | skip Steps.write if parameter 1 count > 0 | [first=5, write, second=10, end] written=3
                    run | skip Steps.note at 2 of 3 | [first=5, write, end] written=3
                    run | skip Steps.note at all 3 | [write, end] written=3
                    run | answer Steps.limit 11 | [first=5, write, second=11, end] written=3
                    run | answer Steps.isLate true | [first=5, write, second=10, late=1024, end] written=3
                    run | replace List.add by remove(Ljava/lang/Object;)Z | [first=5, write, second=10] written=3
                    run | before Steps.write call (Steps) self tick | [first=5, tick, write, second=10, end] written=3
                    run | before List.add call hashCode | [first=5, write, second=10, end] written=3
                    run | keep Steps.written | [first=5, write, second=10, end] written=0
                    run | read taken instead of Steps.durable | [first=5, write, second=10, end] written=7
                    run | jump otherwise after Steps.isLate | [first=5, write, second=10, late=1024, end] written=3
                    run | jump never after Steps.isLate | [first=5, write, second=10, late=1024, end] written=3
                    run | jump always after Steps.isLate | [first=5, write, second=10, end] written=3
                    isLate | jump otherwise after subtraction | [first=5, write, second=10, late=1024, end] written=3
                    isLate | use 1 instead of 4 | [first=5, write, second=10, late=1024, end] written=3
                    isLate | return true | [first=5, write, second=10, late=1024, end] written=3
                    run | say 'last' instead of 'first' | [last=5, write, second=10, end] written=3
                    run | pass 6 as argument 2 of Steps.note at 1 of 3 | [first=6, write, second=10, end] written=3
                    run | pass null as argument 1 of Steps.note at 2 of 3 | [first=5, write, null=10, end] written=3
                    limit | use 12 instead of 10 | [first=5, write, second=12, end] written=3
                    limit | return 0 | [first=5, write, second=0, end] written=3
                    self | return null | [first=5, write, second=10, end] written=3
                    note | return | [write, end] written=3
                    """)
    void aWordDoesWhatItSays(String method, String change, String result) throws Exception {
        assertThat(resultOf(method, change)).isEqualTo(result);
    }

    @Test
    void aCallThatFailsOnceIsMadeOnceMore() throws Exception {
        assertThat(resultOf(1, "run")).isEqualTo("failed");
        assertThat(resultOf(1, "run", "retry Steps.write")).isEqualTo(UNCHANGED);
        assertThat(resultOf(2, "run", "retry Steps.write")).isEqualTo("failed");
    }

    @Test
    void aCallTakesPlaceUntilItHasReturnedOnce() throws Exception {
        Supplier<?> steps = changed(1, "run", "once Steps.write");

        assertThat(steps.get()).isEqualTo("failed");
        assertThat(steps.get()).isEqualTo("[first=5, first=5, write, second=10, end] written=3");
        assertThat((String) steps.get()).endsWith("end, first=5, second=10, end] written=3");
    }

    @Test
    void changesAreMadeOneAfterTheOther() throws Exception {
        assertThat(resultOf("run", "skip Steps.note at 1 of 3", "skip Steps.note at 1 of 2"))
                .isEqualTo("[write, end] written=3");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    run | skip Steps.gone | places=0
                    run | skip Steps.note | places=3
                    run | skip Steps.note at 1 of 2 | places=3
                    run | skip Steps.isLate | its result is used
                    run | skip Steps.write if parameter 1 gone < 1 | neither gone() nor a field gone
                    run | answer Steps.isLate null | null is not of the type boolean
                    run | replace Steps.write by gone()V | there is no method gone()V
                    run | replace Steps.write by limit()J | there is no method limit()J
                    run | replace List.add by clear()V | it returns another type
                    run | retry Steps.isLate | it is static or not void
                    run | once Steps.limit | it is not void
                    run | before Steps.write call tick | neither tick() nor a field tick
                    run | before Steps.isLate call tick | the last operand is not an object
                    run | read log instead of Steps.durable | no field log of the same type
                    run | keep Steps.durable | places=0
                    run | use 1 instead of 77 | places=0
                    run | jump never after Steps.limit | places=0
                    run | return true | the method returns the type void
                    isLate | return | the method returns the type boolean
                    gone | return | there is no method gone
                    run | say 'x' instead of 'gone' | places=0
                    run | pass 1 as argument 3 of Steps.note at 1 of 3 | it has 2 arguments
                    run | pass null as argument 2 of Steps.note at 1 of 3 | null is not of the type long
                    run | make it worse | not in the vocabulary
                    """)
    void aChangeThatDoesNotFitIsRefused(String method, String change, String reason) {
        assertThatThrownBy(() -> resultOf(method, change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    private static String resultOf(String method, String... changes) throws Exception {
        return resultOf(0, method, changes);
    }

    private static String resultOf(int failures, String method, String... changes) throws Exception {
        return (String) changed(failures, method, changes).get();
    }

    private static Supplier<?> changed(int failures, String method, String... changes) throws Exception {
        Class<?> changed = new Changing(method, changes).findClass(Steps.class.getName());
        return (Supplier<?>) changed.getConstructor(int.class).newInstance(failures);
    }

    /** Loads the class with the changes in it. */
    private static final class Changing extends ClassLoader {
        private final byte[] bytes;

        Changing(String method, String... changes) throws IOException {
            super(CodeChangeTest.class.getClassLoader());
            try (InputStream file = Steps.class.getResourceAsStream("Steps.class")) {
                List<CodeChange> all = Stream.of(changes).map(CodeChange::new).toList();
                bytes = CodeChange.changed(getParent(), file.readAllBytes(), method, all);
            }
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
