package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.postgresql.PostgresServer.End;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.LoopVolume;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The file system of a server fills up under load, and gets room again. The server refuses batches, or it stops because
 * its own log has no room; then it is started again. It stands alone, in a small file system in memory.
 */
public final class FullStage implements Stage {
    private static final String UNIT = "full disks";
    private static final long VOLUME_BYTES = 160L << 20;
    private static final int LOGS = 2;
    private static final int MAX_LOAD_MILLIS = 300;
    private static final int LARGE_STATES = 6;
    private static final int FULL_MILLIS = 3_000;
    private static final int MAX_ROOM = 1 << 20;
    private static final int PATIENCE_SECONDS = 240;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "postgresql-full";
    }

    @Override
    public String description() {
        return "the disk of PostgreSQL fills up under load, and gets room again";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 1;
    }

    @Override
    public long fullCount() {
        return 300;
    }

    @Override
    public List<Subject> subjects() {
        return List.of(SubjectCatalog.postgresql());
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return ClusterStage.refusalOf(subject);
    }

    @Override
    public int patienceSeconds() {
        return PATIENCE_SECONDS;
    }

    @Override
    public Optional<String> unavailableBecause() {
        Optional<String> reason = PostgresServer.unavailableBecause();
        if (reason.isPresent()) {
            return reason;
        }
        if (!PostgresServer.isRoot()) {
            return Optional.of("a file system of its own needs root");
        }
        try {
            Path directory = Files.createTempDirectory("tallystick-full-");
            try {
                LoopVolume.run(List.of("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory.toString()));
                LoopVolume.run(List.of("umount", directory.toString()));
            } finally {
                Files.delete(directory);
            }
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("no small file system can be mounted: " + refused.getMessage());
        }
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Filling(subject, scratch);
    }

    private static final class Filling implements Session {
        private final Subject subject;
        private final Path scratch;
        private final Path volume;
        private final PostgresServer server;
        private final Thread shutdownHook = new Thread(this::unmountAtExit, "unmount");
        private int nodes;

        Filling(Subject subject, Path scratch) throws IOException {
            this.subject = subject;
            this.scratch = scratch;
            this.volume = Files.createTempDirectory("tallystick-full-");
            LoopVolume.run(List.of("mount", "-t", "tmpfs", "-o", "size=" + VOLUME_BYTES, "tmpfs", volume.toString()));
            Runtime.getRuntime().addShutdownHook(shutdownHook);
            server = PostgresServer.in(Files.createDirectory(volume.resolve("server")), PostgresCluster.freePort());
            try {
                // The size of its own log must not depend on the load.
                server.initialize(PostgresCluster.settingsOfOne() + "max_wal_size = 32MB\n");
                server.start();
            } catch (IOException | RuntimeException | Error failed) {
                close();
                throw failed;
            }
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Path ballast = volume.resolve("ballast");
            try (LogsUnderLoad logs = new LogsUnderLoad()) {
                try {
                    return run(seed, logs, ballast);
                } catch (SQLException trouble) {
                    throw new IOException(server.tail(), trouble);
                } finally { // before the stores are closed, which would wait for room
                    Files.deleteIfExists(ballast);
                }
            }
        }

        private Counts run(long seed, LogsUnderLoad logs, Path ballast)
                throws IOException, InterruptedException, SQLException {
            Random random = Seeds.random(seed);
            Opening opening = Opening.atOnce(PostgresCluster.urlOf(List.of(server.port())))
                    .withoutReplication()
                    .withPatience(PATIENCE);
            for (int i = 0; i < LOGS; i++) {
                logs.begin(new NodeLog(subject, "full" + ++nodes, scratch), opening, seed * LOGS + i);
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            logs.disasterBegins();
            fill(ballast, random.nextInt(MAX_ROOM));
            Thread[] crowds = new Thread[LOGS];
            for (int i = 0; i < LOGS; i++) {
                crowds[i] = crowd(logs.log(i).watched());
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(FULL_MILLIS));
            Files.delete(ballast);
            for (Thread crowd : crowds) {
                crowd.join();
            }
            boolean hasStopped = restartIfStopped();
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            Counts counts = Counts.of(UNIT, 1).and("servers stopped", hasStopped ? 1 : 0);
            for (int i = 0; i < LOGS; i++) {
                counts = counts.plus(logs.end(i));
                boolean hasFailed = logs.log(i).store().failure().isPresent();
                logs.log(i).passOn(opening);
                counts = counts.and("stores failed", hasFailed ? 1 : 0);
            }
            return counts;
        }

        /** Large states use the last room up. */
        private static Thread crowd(ObjectStore watched) {
            Thread crowd = new Thread(() -> {
                try {
                    NodeLog.fill(watched, "/Fill", LARGE_STATES);
                } catch (StoreException full) {
                    // the oracle has noted what it promises
                }
            });
            crowd.setDaemon(true);
            crowd.start();
            return crowd;
        }

        private void fill(Path ballast, int room) throws IOException {
            byte[] zeros = new byte[1 << 12];
            try (OutputStream out = Files.newOutputStream(ballast)) {
                while (volume.toFile().getUsableSpace() > room) {
                    out.write(zeros);
                }
            }
        }

        private boolean restartIfStopped() throws IOException, SQLException {
            try {
                server.one("SELECT 1");
                return false;
            } catch (SQLException stopped) {
                server.end(End.IMMEDIATE);
                server.start();
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            unmountAtExit();
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        }

        private void unmountAtExit() {
            try {
                LoopVolume.run(List.of("umount", "--lazy", volume.toString()));
                Files.deleteIfExists(volume);
            } catch (IOException left) {
                System.err.println(volume + " is not removed: " + left.getMessage());
            }
        }
    }
}
