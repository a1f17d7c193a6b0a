package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares the tables of a schema with {@link Schema}, and says what differs, a line each. Reads the catalog alone. */
final class TableCheck {
    private static final List<String> PRIVILEGES = List.of("SELECT", "INSERT", "UPDATE", "DELETE");
    /** A row of a loss stays. */
    private static final List<String> LOSS_PRIVILEGES = List.of("SELECT", "INSERT", "UPDATE");

    /** The bits of pg_trigger.tgtype of triggers that run for each row, before it is written. */
    private static final int BEFORE_A_ROW = 3;

    /** What a store does with its tables. To make a log it inserts into the first one, too. */
    private static final Map<String, List<String>> USED = Map.of(
            "tallystick_log", List.of("SELECT", "UPDATE"),
            "tallystick_fence", List.of("SELECT", "INSERT", "UPDATE"),
            "tallystick_batch", List.of("SELECT", "INSERT", "DELETE"));

    private static final Pattern TABLE_KEY = Pattern.compile(", PRIMARY KEY \\(([^)]*)\\)");
    /** A comma that stands in no parentheses. */
    private static final Pattern COLUMN_END = Pattern.compile(", (?![^()]*\\))");

    private static final Map<String, String> LONG_NAMES = Map.of("varchar", "character varying");

    private final Connection connection;
    private final String schema;

    TableCheck(Connection connection, String schema) {
        this.connection = connection;
        this.schema = schema;
    }

    /** Tables and columns that are missing or have another type. */
    List<String> columns() throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, String> table : Schema.TABLES.entrySet()) {
            Map<String, String> found = foundColumns(table.getKey());
            if (found.isEmpty()) {
                missing.add("the table " + schema + "." + table.getKey() + " is missing");
                continue;
            }
            columnsOf(table.getValue()).forEach((name, type) -> {
                String place = "the column " + table.getKey() + "." + name;
                if (!found.containsKey(name)) {
                    missing.add(place + " is missing");
                } else if (!found.get(name).equals(type)) {
                    missing.add(place + " has the type " + found.get(name) + ", not " + type);
                }
            });
        }
        return missing;
    }

    /** All that keeps an owner from marking a loss. It does not keep the user from opening a store. */
    List<String> losses() throws SQLException {
        List<String> missing = new ArrayList<>();
        if (foundColumns(Schema.LOSSES).isEmpty()) {
            missing.add("the table " + schema + "." + Schema.LOSSES + " is missing, so a loss cannot be marked");
        } else {
            checkTable(Schema.LOSSES, LOSS_PRIVILEGES, missing);
        }
        return missing;
    }

    /** All that keeps a process from taking its node from a pool. */
    List<String> pools() throws SQLException {
        List<String> missing = new ArrayList<>();
        if (foundColumns(Schema.POOLS).isEmpty()) {
            missing.add("the table " + schema + "." + Schema.POOLS + " is missing");
        } else {
            checkUniqueness(Schema.POOLS, Schema.POOL_COLUMNS, missing);
            checkTable(Schema.POOLS, LOSS_PRIVILEGES, missing);
            checkRows(Schema.POOLS, missing);
        }
        return missing;
    }

    /**
     * All that would make a store that opens go wrong later: what it does not use may lack, and keys may have other
     * names.
     */
    List<String> opening() throws SQLException {
        List<String> missing = new ArrayList<>(columns());
        if (!missing.isEmpty()) {
            return missing;
        }
        for (Map.Entry<String, String> table : Schema.TABLES.entrySet()) {
            checkUniqueness(table.getKey(), table.getValue(), missing);
            checkTable(table.getKey(), USED.get(table.getKey()), missing);
            checkRows(table.getKey(), missing);
        }
        if (!foundColumns(Schema.LOSSES).isEmpty()) {
            checkRows(Schema.LOSSES, missing); // a mark that is hidden is a loss that nobody hears of
        }
        return missing;
    }

    /** All that keeps the user of the connection from opening a store: also keys, durability and privileges. */
    List<String> all() throws SQLException {
        List<String> missing = new ArrayList<>(columns());
        for (Map.Entry<String, String> table : Schema.TABLES.entrySet()) {
            if (!foundColumns(table.getKey()).isEmpty()) {
                checkKeys(table.getKey(), table.getValue(), missing);
                checkTable(table.getKey(), PRIVILEGES, missing);
                checkRows(table.getKey(), missing);
            }
        }
        return missing;
    }

    /** What may hide rows, change them on their way, or put them into tables of another kind. */
    private void checkRows(String table, List<String> missing) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT c.relkind = 'p',"
                + " pg_catalog.row_security_active(c.oid), (SELECT string_agg(t.tgname, ', ' ORDER BY t.tgname)"
                + " FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal"
                + " AND t.tgenabled IN ('O', 'A') AND t.tgtype & " + BEFORE_A_ROW + " = " + BEFORE_A_ROW + "),"
                + " c.relhasrules, EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)"
                + " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ?")) {
            query.setString(1, schema);
            query.setString(2, table);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getBoolean(1)) {
                    missing.add("the table " + table + " is partitioned, and must be a plain table");
                }
                if (row.getBoolean(2)) {
                    missing.add("row security of the table " + table + " may hide rows from the user");
                }
                if (row.getString(3) != null) {
                    missing.add("the table " + table + " has triggers before its rows are written, " + row.getString(3)
                            + ", which may change or leave out rows");
                }
                if (row.getBoolean(4)) {
                    missing.add("the table " + table + " has rules, which may change or leave out rows");
                }
                if (row.getBoolean(5) && !row.getBoolean(1)) {
                    missing.add(
                            "other tables inherit from the table " + table + ", and their rows stand among its own");
                }
            }
        }
    }

    /** The columns of a definition, and their types as the server names them. */
    static Map<String, String> columnsOf(String definition) {
        Map<String, String> columns = new LinkedHashMap<>();
        for (String column : columnDefinitions(definition)) {
            String[] words = column.split(" ");
            String type = words[1].replaceAll("\\(.*", "");
            columns.put(words[0], LONG_NAMES.getOrDefault(type, type));
        }
        return columns;
    }

    /** The keys of a definition, as the server writes them. */
    static Set<String> keysOf(String definition) {
        Set<String> keys = new TreeSet<>();
        Matcher ofTable = TABLE_KEY.matcher(definition);
        if (ofTable.find()) {
            keys.add("PRIMARY KEY (" + ofTable.group(1) + ")");
        }
        for (String column : columnDefinitions(definition)) {
            String name = column.substring(0, column.indexOf(' '));
            if (column.endsWith("PRIMARY KEY")) {
                keys.add("PRIMARY KEY (" + name + ")");
            }
            if (column.endsWith("UNIQUE")) {
                keys.add("UNIQUE (" + name + ")");
            }
        }
        return keys;
    }

    private static String[] columnDefinitions(String definition) {
        return COLUMN_END.split(TABLE_KEY.matcher(definition).replaceAll(""));
    }

    private Map<String, String> foundColumns(String table) throws SQLException {
        Map<String, String> found = new LinkedHashMap<>();
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT a.attname, pg_catalog.format_type(a.atttypid, NULL) FROM pg_catalog.pg_class c"
                        + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        + " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid"
                        + " WHERE n.nspname = ? AND c.relname = ? AND c.relkind IN ('r', 'p')"
                        + " AND a.attnum > 0 AND NOT a.attisdropped")) {
            query.setString(1, schema);
            query.setString(2, table);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.put(row.getString(1), row.getString(2));
                }
            }
        }
        return found;
    }

    private void checkKeys(String table, String definition, List<String> missing) throws SQLException {
        Set<String> found = new TreeSet<>();
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT pg_catalog.pg_get_constraintdef(k.oid) FROM pg_catalog.pg_constraint k"
                        + " JOIN pg_catalog.pg_class c ON c.oid = k.conrelid"
                        + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE n.nspname = ? AND c.relname = ? AND k.contype IN ('p', 'u')")) {
            query.setString(1, schema);
            query.setString(2, table);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.add(row.getString(1));
                }
            }
        }
        keysOf(definition).stream()
                .filter(key -> !found.contains(key))
                .forEach(key -> missing.add("the table " + table + " lacks " + key));
    }

    /** Whether something keeps rows with equal keys apart, whatever its name, at once and for all rows. */
    private void checkUniqueness(String table, String definition, List<String> missing) throws SQLException {
        Set<Set<String>> found = new HashSet<>();
        try (PreparedStatement query = connection.prepareStatement("SELECT pg_catalog.string_agg(a.attname, ',')"
                + " FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid"
                + " AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])"
                + " WHERE n.nspname = ? AND c.relname = ? AND i.indisunique AND i.indisvalid AND i.indimmediate"
                + " AND i.indpred IS NULL AND i.indexprs IS NULL GROUP BY i.indexrelid")) {
            query.setString(1, schema);
            query.setString(2, table);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.add(Set.of(row.getString(1).split(",")));
                }
            }
        }
        for (String key : keysOf(definition)) {
            String columns = key.substring(key.indexOf('(') + 1, key.length() - 1);
            if (!found.contains(Set.of(columns.split(", ")))) {
                missing.add("the table " + table + " lacks " + key);
            }
        }
    }

    private void checkTable(String table, List<String> privileges, List<String> missing) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT c.relpersistence::text, pg_catalog.has_schema_privilege(n.oid,"
                        + " 'USAGE'), p, pg_catalog.has_table_privilege(c.oid, p) FROM pg_catalog.pg_class c"
                        + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, unnest(?::text[]) AS p"
                        + " WHERE n.nspname = ? AND c.relname = ?")) {
            query.setArray(1, connection.createArrayOf("text", privileges.toArray()));
            query.setString(2, schema);
            query.setString(3, table);
            try (ResultSet row = query.executeQuery()) {
                boolean isFirst = true;
                while (row.next()) {
                    if (isFirst && !row.getString(1).equals("p")) {
                        missing.add("the table " + table + " is unlogged or temporary, so a crash empties it");
                    }
                    if (isFirst && !row.getBoolean(2)) {
                        missing.add("the user may not use the schema " + schema + " of the table " + table);
                    }
                    isFirst = false;
                    if (!row.getBoolean(4)) {
                        missing.add("the user may not " + row.getString(3) + " in the table " + table);
                    }
                }
            }
        }
    }
}
