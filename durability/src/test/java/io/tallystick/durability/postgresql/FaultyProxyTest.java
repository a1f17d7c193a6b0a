package io.tallystick.durability.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultyProxyTest {
    private static final int DELAY_MILLIS = 20;
    private static final int LARGE = 64 << 20;

    @Test
    void aDelayIsOfTimeAloneAndNoLimitOfHowMuchPasses() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultyProxy proxy = new FaultyProxy(server.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                Socket accepted = server.accept()) {
            proxy.delay(DELAY_MILLIS);
            long begun = System.nanoTime();
            client.getOutputStream().write(1);
            assertThat(accepted.getInputStream().read()).isOne();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(DELAY_MILLIS));

            begun = System.nanoTime();
            Thread sending = new Thread(() -> {
                try {
                    client.getOutputStream().write(new byte[LARGE]);
                    client.shutdownOutput();
                } catch (IOException closed) {
                    // then too little arrives
                }
            });
            sending.start();
            assertThat(accepted.getInputStream().readAllBytes()).hasSize(LARGE);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(12));
        }
    }
}
