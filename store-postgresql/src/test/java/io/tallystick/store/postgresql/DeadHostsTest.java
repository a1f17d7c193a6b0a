package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hosts of the URL that answer nothing do not use up the patience before the primary is reached. */
class DeadHostsTest extends WithServer {
    private static final Duration PATIENCE = Duration.ofSeconds(9);

    private final List<DeadHost> dead = new ArrayList<>();

    @BeforeEach
    void startHosts() throws IOException {
        dead.add(new DeadHost());
        dead.add(new DeadHost());
    }

    @AfterEach
    void stopHosts() throws IOException {
        for (DeadHost host : dead) {
            host.close();
        }
    }

    /** A third of the patience is for one try to connect, whatever the number of hosts. */
    @Test
    void thePrimaryBehindTwoDeadHostsIsReachedInOneTry() throws SQLException {
        assertThat(opening(connections()::open))
                .isLessThan(PATIENCE.dividedBy(3).plusSeconds(1));
    }

    @Test
    void aLookTriesADeadHostOnce() throws SQLException {
        assertThat(opening(connections()::openToLook))
                .isLessThan(PATIENCE.dividedBy(3).plusSeconds(1));
    }

    @Test
    void aHostThatCannotBeReadIsToldBeforeItIsNeeded() {
        String url = server.url();
        Connections connections = new Connections(
                PostgresOptions.from(Stores.settings(url.replaceFirst("(//[^/]*)/", "$1,db2:54x2/"), "dead")
                        .build()));
        assertThatThrownBy(() -> connections.open("test"))
                .isInstanceOf(Connections.UnfitServerException.class)
                .hasMessageContaining("does not understand");
    }

    private interface Opening {
        Connection open(String applicationName) throws SQLException;
    }

    private static Duration opening(Opening opening) throws SQLException {
        long begin = System.nanoTime();
        opening.open("test").close();
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private Connections connections() {
        String url = server.url();
        String alive = url.substring(url.indexOf("//") + 2);
        return new Connections(PostgresOptions.from(Stores.settings(
                        "jdbc:postgresql://" + dead.get(0).address() + ','
                                + dead.get(1).address() + ',' + alive,
                        "dead")
                .set(StoreOption.PATIENCE, PATIENCE)
                .build()));
    }

    /** Its queue of connections is full, so it answers no further one. */
    private static final class DeadHost implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> waiting = new ArrayList<>();

        DeadHost() throws IOException {
            int refused = 0;
            while (refused < 2) { // a busy machine may answer the first one late
                Socket socket = new Socket();
                waiting.add(socket);
                try {
                    socket.connect(listener.getLocalSocketAddress(), 500);
                    refused = 0;
                } catch (SocketTimeoutException full) {
                    refused++;
                }
            }
        }

        String address() {
            return listener.getInetAddress().getHostAddress() + ':' + listener.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : waiting) {
                socket.close();
            }
            listener.close();
        }
    }
}
