package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingDiskTest {
    private static final Path PATH = Path.of("/store/file");
    private static final Disk.PathVisitor VISITOR = path -> {};

    static Stream<Method> everyMethodOfADisk() {
        return Arrays.stream(Disk.class.getMethods()).filter(method -> !Modifier.isStatic(method.getModifiers()));
    }

    @ParameterizedTest
    @MethodSource("everyMethodOfADisk")
    void everyMethodIsHandedOnWithItsArgumentsAndItsResult(Method method) throws Exception {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(ForwardingDiskTest::argumentOf)
                .toArray();
        Object answer = answerOf(method.getReturnType());
        List<Method> calls = new ArrayList<>();
        ForwardingDisk forwarding = new ForwardingDisk(proxy(Disk.class, (disk, called, given) -> {
            calls.add(called);
            assertThat(given).isEqualTo(arguments);
            return answer;
        })) {};

        assertThat(method.invoke(forwarding, arguments)).isEqualTo(answer);
        assertThat(calls).containsExactly(method);
    }

    private static Object argumentOf(Class<?> type) {
        return Stream.of(PATH, OpenMode.READ, VISITOR)
                .filter(type::isInstance)
                .findFirst()
                .orElseThrow();
    }

    private static Object answerOf(Class<?> type) {
        if (type == DiskFile.class) {
            return proxy(
                    DiskFile.class,
                    (file, called, given) -> called.getName().equals("equals") ? file == given[0] : null);
        }
        return Stream.of(Disk.PathKind.LINK, List.of(PATH), Optional.empty(), PATH, "ext4", true, 41, 42L)
                .filter(one -> type.isInstance(one) || isBoxOf(type, one))
                .findFirst()
                .orElse(null);
    }

    private static boolean isBoxOf(Class<?> primitive, Object value) {
        return primitive == boolean.class && value instanceof Boolean
                || primitive == int.class && value instanceof Integer
                || primitive == long.class && value instanceof Long;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
