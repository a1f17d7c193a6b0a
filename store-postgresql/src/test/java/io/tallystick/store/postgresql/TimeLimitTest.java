package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimeLimitTest {
    private final AtomicInteger aborts = new AtomicInteger();

    @Test
    void whateverIsInTheWayTheConnectionIsBrokenOff() {
        for (Throwable inTheWay : new Throwable[] {new SecurityException("planned"), new OutOfMemoryError("planned")}) {
            aborts.set(0);
            try (TimeLimit limit = new TimeLimit(Duration.ofMillis(1))) {
                TimeLimit.Request request = limit.begin(connection(inTheWay));
                await().until(() -> aborts.get() == 1);
                assertThat(request.end()).as("goes on").isFalse();
            }
        }
    }

    @Test
    void aRequestThatHasEndedIsNotBrokenOff() {
        try (TimeLimit limit = new TimeLimit(Duration.ofMillis(50))) {
            TimeLimit.Request ended = limit.begin(connection(new SecurityException("planned")));
            assertThat(ended.end()).as("goes on").isTrue();
            limit.begin(connection(new SecurityException("planned"))); // its time is over later
            await().until(() -> aborts.get() > 0);
            assertThat(aborts).hasValue(1);
        }
    }

    private Connection connection(Throwable inTheWay) {
        return (Connection) Proxy.newProxyInstance(
                TimeLimitTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("unwrap")) {
                        throw inTheWay;
                    }
                    if (method.getName().equals("abort")) {
                        aborts.incrementAndGet();
                    }
                    return null;
                });
    }
}
