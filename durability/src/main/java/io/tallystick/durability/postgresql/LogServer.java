package io.tallystick.durability.postgresql;

import io.tallystick.durability.postgresql.PostgresServer.End;
import java.io.IOException;
import java.util.Random;

/** The server that has a log, which is out for a while in one of several ways. */
interface LogServer extends AutoCloseable {
    /** Of one host. */
    int PATIENCE_MILLIS = 1_000;

    /** The address for the owner of the log. */
    String url();

    /** The least patience of an owner, milliseconds: a dead host takes a second of it. */
    int patienceMillis();

    /** Goes out in a way that is drawn, and answers the name of that way. */
    String goOut(Random random) throws IOException;

    /** Is there again, after {@link #goOut}. */
    void comeBack(Random random) throws IOException;

    @Override
    void close() throws IOException;

    /** One server, behind a proxy. */
    final class Alone implements LogServer {
        private final FaultyProxy network;
        private Way way;

        Alone(int port) throws IOException {
            this.network = new FaultyProxy(port);
        }

        private enum Way {
            SILENT("silent"),
            ANSWERS_LOST("answers lost"),
            REFUSING("refusing");

            private final String name;

            Way(String name) {
                this.name = name;
            }
        }

        @Override
        public String url() {
            return TwoDatabases.logUrl(network.port());
        }

        @Override
        public int patienceMillis() {
            return PATIENCE_MILLIS;
        }

        @Override
        public String goOut(Random random) throws IOException {
            way = Way.values()[random.nextInt(Way.values().length)];
            switch (way) {
                case SILENT -> network.hold(true, true);
                case ANSWERS_LOST -> network.hold(false, true);
                case REFUSING -> network.refuse(true);
            }
            return way.name;
        }

        @Override
        public void comeBack(Random random) throws IOException {
            if (way == Way.REFUSING) {
                network.refuse(false);
                return;
            }
            if (random.nextBoolean()) {
                network.cutAll();
            }
            network.hold(false, false);
        }

        @Override
        public void close() throws IOException {
            network.close();
        }
    }

    /** A primary and a synchronous standby, which outlive this: others use them after it. */
    final class Replicated implements LogServer {
        private final PostgresCluster cluster;
        private Way way;

        Replicated(PostgresCluster cluster) {
            this.cluster = cluster;
        }

        private enum Way {
            /** The primary dies, and the standby takes its place after the patience. */
            FAILOVER("failovers"),
            /** Commits wait for a standby that is not there. */
            STANDBY_GONE("standbys gone"),
            /** Neither server answers. */
            SILENT("both silent");

            private final String name;

            Way(String name) {
                this.name = name;
            }
        }

        @Override
        public String url() {
            return cluster.proxiedUrl();
        }

        @Override
        public int patienceMillis() {
            return 2 * PATIENCE_MILLIS;
        }

        @Override
        public String goOut(Random random) throws IOException {
            way = Way.values()[random.nextInt(Way.values().length)];
            switch (way) {
                case FAILOVER -> cluster.primary().end(End.values()[random.nextInt(End.values().length)]);
                case STANDBY_GONE -> cluster.standby().end(End.IMMEDIATE);
                case SILENT -> hold(true);
            }
            return way.name;
        }

        @Override
        public void comeBack(Random random) throws IOException {
            switch (way) {
                case FAILOVER -> {
                    cluster.promote();
                    cluster.rejoin();
                }
                case STANDBY_GONE -> {
                    cluster.standby().start();
                    cluster.awaitSynchronous();
                }
                case SILENT -> hold(false);
            }
        }

        private void hold(boolean isHeld) {
            cluster.clientsOfPrimary().hold(isHeld, isHeld);
            cluster.clientsOfStandby().hold(isHeld, isHeld);
        }

        @Override
        public void close() {
            hold(false);
        }
    }
}
