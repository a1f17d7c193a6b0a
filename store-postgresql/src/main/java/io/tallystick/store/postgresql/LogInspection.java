package io.tallystick.store.postgresql;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the log of a node and reports all damage, in one transaction that only reads. So the log is seen as it was at
 * one moment. An owner that writes meanwhile is not disturbed: nothing is locked, and no epoch is raised.
 */
final class LogInspection {
    /** The name of the store and its format. */
    static final String KIND = "postgresql-v" + Schema.FORMAT;

    private static final String BATCHES = "tallystick_batch";
    private static final String FENCES = "tallystick_fence";
    private static final String LOGS = "tallystick_log";

    /** A standby sees no owner, and what it shows may be older than what was acknowledged. */
    private static final String OWNER_OF_PRIMARY = "perhaps: this server is a standby; ask the primary, or promote it";

    private final PostgresOptions options;
    private final LogRow log;
    private final BatchDecoder decoder;
    private final EpochAudit audit = new EpochAudit();
    private final Map<StateKey, RecordInRow> records = new HashMap<>();
    private final List<BatchRow> rows = new ArrayList<>();
    private final List<Damage> damages = new ArrayList<>();
    private final Set<Integer> lanes = new HashSet<>();

    /** A row, whether it is damaged or not. */
    private record BatchRow(long sequence, int bytes, int lane, long epoch) {
        InspectedFile file(long oldest) {
            return new InspectedFile(
                    row(BATCHES, sequence),
                    sequence < oldest ? InspectedFile.Role.LEFTOVER : InspectedFile.Role.DATA,
                    bytes,
                    "lane " + lane + " epoch " + epoch);
        }
    }

    private LogInspection(PostgresOptions options, LogRow log) {
        this.options = options;
        this.log = log;
        this.decoder = new BatchDecoder(PostgresStore.bytesOf(log.storeId()));
    }

    /**
     * Reads the log of a node; empty if it has none.
     *
     * @throws UnsupportedFormatException the tables are missing, or have another format
     * @throws StoreIoException the server cannot be asked
     */
    static Optional<StoreInspection> of(PostgresOptions options) {
        Connection connection = null;
        try {
            connection = new Connections(options).openToLook("tallystick looking at " + options.nodeId());
            checkTables(connection, options);
            Optional<LogRow> log = LogRow.find(connection, options.nodeId());
            if (log.isEmpty()) {
                return Optional.empty();
            }
            log.get().checkFormat(options);
            return Optional.of(new LogInspection(options, log.get()).read(connection));
        } catch (SQLException trouble) {
            throw unreadable(options, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    static StoreIoException unreadable(PostgresOptions options, SQLException trouble) {
        return new StoreIoException(
                "the log in " + options.place() + " cannot be read: " + trouble.getMessage()
                        + "; check that the server runs, that user and password are right, and what the user may read;"
                        + " nothing was changed",
                trouble);
    }

    private static void checkTables(Connection connection, PostgresOptions options) throws SQLException {
        List<String> missing = new TableCheck(connection, options.schema()).columns();
        if (!missing.isEmpty()) {
            throw new UnsupportedFormatException("the tables in " + options.place()
                    + " are missing or of another version: " + String.join(", ", missing)
                    + "; 'tallystick postgresql ddl' prints the statements that make them; check also "
                    + StoreOption.POSTGRESQL_SCHEMA.key());
        }
    }

    private StoreInspection read(Connection connection) throws SQLException {
        Optional<String> owner = isStandby(connection) ? Optional.of(OWNER_OF_PRIMARY) : log.livingOwner(connection);
        readBatches(connection);
        long oldest = audit.oldest();
        records.values().removeIf(record -> record.sequence < oldest);
        for (EpochAudit.Gap gap : audit.gaps(oldest)) {
            damages.add(Damage.of(
                    row(BATCHES, gap.first()),
                    0,
                    Damage.Kind.MISSING_ROW,
                    gap.first() == gap.last()
                            ? "it is missing, and it was acknowledged"
                            : "the batches " + gap.first() + " to " + gap.last()
                                    + " are missing, and they were acknowledged"));
        }
        readFences(connection);
        readRowsOfNoLog(connection);
        return StoreInspection.ofRemoteLog(
                options.place(),
                KIND,
                log.storeId(),
                owner,
                Map.of(
                        StoreOption.STORE.key(),
                        PostgresStore.NAME,
                        StoreOption.NODE_ID.key(),
                        options.nodeId(),
                        StoreOption.POSTGRESQL_SCHEMA.key(),
                        options.schema()),
                rows.stream().map(row -> row.file(oldest)).toList(),
                records.values(),
                damages);
    }

    private static boolean isStandby(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery("SELECT pg_is_in_recovery()")) {
            answer.next();
            return answer.getBoolean(1);
        }
    }

    private void readBatches(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT " + BatchDecoder.COLUMNS + ", lane FROM tallystick_batch WHERE log_id = ? ORDER BY seq")) {
            query.setLong(1, log.logId());
            query.setFetchSize(options.rowsAtATime());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rows.add(new BatchRow(row.getLong(1), row.getBytes(5).length, row.getInt(6), row.getLong(2)));
                    lanes.add(row.getInt(6));
                    readBatch(row);
                }
            }
        }
    }

    private void readBatch(ResultSet row) throws SQLException {
        Path place = row(BATCHES, row.getLong(1));
        try {
            BatchDecoder.Batch batch = decoder.decode(row);
            if (batch.header().epoch() > log.epoch()) {
                damages.add(Damage.of(
                        place,
                        0,
                        Damage.Kind.FOREIGN_ROW,
                        "its epoch " + batch.header().epoch() + " is later than the log's epoch " + log.epoch()
                                + ": the log's row was restored from an earlier time"));
            }
            audit.add(batch.header());
            decoder.records(batch, (record, offset) -> take(batch, record, offset));
        } catch (BatchDecoder.DamagedBatchException damage) {
            damages.add(Damage.of(place, damage.offset(), Damage.Kind.ROW, damage.getMessage()));
        }
    }

    private void take(BatchDecoder.Batch batch, RecordDecoder.Header record, int offset) {
        if (record.flags() == 0) {
            records.remove(record.key());
        } else {
            byte[] bytes = new byte[record.length()];
            batch.body().get(offset, bytes);
            records.put(record.key(), new RecordInRow(batch.header().sequence(), offset, record, bytes));
        }
    }

    private void readFences(Connection connection) throws SQLException {
        Set<Integer> fenced = new HashSet<>();
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT lane, epoch FROM tallystick_fence WHERE log_id = ? ORDER BY lane")) {
            query.setLong(1, log.logId());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    fenced.add(row.getInt(1));
                    if (row.getLong(2) != log.epoch()) {
                        damages.add(Damage.of(
                                row(FENCES, row.getLong(1)),
                                0,
                                Damage.Kind.FENCE,
                                "its epoch is " + row.getLong(2) + ", and the log's epoch is " + log.epoch()));
                    }
                }
            }
        }
        boolean wasOpened = log.epoch() > 0;
        lanes.add(0);
        lanes.stream()
                .filter(lane -> wasOpened && !fenced.contains(lane))
                .sorted()
                .forEach(lane -> damages.add(
                        Damage.of(row(FENCES, lane), 0, Damage.Kind.FENCE, "it is missing, and the lane was used")));
    }

    private void readRowsOfNoLog(Connection connection) throws SQLException {
        for (String table : List.of(BATCHES, FENCES)) {
            try (PreparedStatement query = connection.prepareStatement("SELECT log_id, count(*) FROM " + table
                    + " LEFT JOIN " + LOGS + " USING (log_id) WHERE node_id IS NULL GROUP BY log_id ORDER BY log_id")) {
                try (ResultSet found = query.executeQuery()) {
                    while (found.next()) {
                        damages.add(Damage.of(
                                Path.of(table),
                                0,
                                Damage.Kind.FOREIGN_ROW,
                                found.getLong(2) + " rows have log_id " + found.getLong(1)
                                        + ", and there is no log of this number"));
                    }
                }
            }
        }
    }

    private static Path row(String table, long number) {
        return Path.of(table, Long.toString(number));
    }

    /** A record and its bytes; the row may be deleted at any time. */
    private static final class RecordInRow implements InspectedRecord {
        private final long sequence;
        private final int offset;
        private final RecordDecoder.Header header;
        private final byte[] bytes;

        RecordInRow(long sequence, int offset, RecordDecoder.Header header, byte[] bytes) {
            this.sequence = sequence;
            this.offset = offset;
            this.header = header;
            this.bytes = bytes;
        }

        @Override
        public StateKey key() {
            return header.key();
        }

        @Override
        public StateStatus status() {
            return RecordFormat.statusOf(header.flags());
        }

        @Override
        public Path file() {
            return row(BATCHES, sequence);
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public long bytes() {
            return (long) header.committedLength() + header.shadowLength();
        }

        @Override
        public StateImage image() {
            return RecordDecoder.imageOf(bytes, 0, header);
        }
    }
}
