package io.tallystick.tool.migrate;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.SourceException;
import io.tallystick.narayana.logs.SourceFile;
import io.tallystick.storage.Disk;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.NewPlace;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.RemoteLog;
import io.tallystick.tool.command.RemoteLogOption;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolCommand;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code tallystick migrate}: makes a store with the states of another one. docs/migration.md is its page. */
@Command(
        name = "migrate",
        description = {
            "Makes a new store with the states of another store: one of ours, or one of Narayana's.",
            "The source is only read, and marked at the end. If the command is cut off, run it again.",
            ""
        })
public final class MigrateCommand extends ToolCommand {
    private static final String JDBC_PREFIX = "jdbc:";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FROM",
            description =
                    "the directory of a store, Tallystick's or Narayana's, or the URL (jdbc:...) of the database that"
                            + " Narayana's JDBC store writes to; left out where --url names the source")
    private String first;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TO",
            description = "the new store's directory; new or empty; left out with --to postgresql")
    private String second;

    @Option(
            names = "--to",
            paramLabel = "KIND",
            defaultValue = "segmented",
            description = "the kind of the new store: file, segmented, artemis, postgresql; default: ${DEFAULT-VALUE}")
    private TargetKind kind;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "the database of our log, such as jdbc:postgresql://db1,db2/tx: the target with --to postgresql,"
                            + " otherwise the source")
    private Optional<String> url;

    @Option(names = "--schema", paramLabel = "NAME", description = "with --url: the schema of the tables")
    private Optional<String> schema;

    @Option(names = "--node", paramLabel = "ID", description = "with --url: the node whose log it is")
    private Optional<String> node;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "a configuration key of the new store, such as -Dtallystick.journal.segment-size=64MiB")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--dry-run", description = "read the source, check the target, and change nothing")
    private boolean dryRun;

    @Option(
            names = "--again",
            description = "migrate a source of Narayana's that was migrated to another store; only if that store is"
                    + " gone, or was never opened: otherwise its transactions are carried out twice")
    private boolean again;

    @Option(
            names = "--leave-out-damaged",
            description = "migrate the undamaged states of a damaged source, and list the others")
    private boolean leaveOutDamaged;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "the user of the database; of the source, if both are in databases")
    private Optional<String> user;

    @Option(names = "--password", interactive = true, description = "ask for the user's password")
    private char[] password;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "a file with the user's password in its first line")
    private Optional<Path> passwordFile;

    @Option(
            names = "--driver",
            paramLabel = "CLASS",
            description = "the class of the database's driver, if it is not found")
    private Optional<String> driver;

    @Option(names = "--driver-path", paramLabel = "JARS", description = "the jars of the database's driver")
    private Optional<String> driverPath;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            defaultValue = TableSource.DEFAULT_TABLE,
            description = "the table of Narayana's JDBC store; default: ${DEFAULT-VALUE}")
    private String table;

    @Mixin
    private OwnerOption owner;

    /** For picocli. */
    public MigrateCommand() {}

    @Override
    protected ExitStatus run() throws IOException {
        try {
            return runOnLogs();
        } catch (SourceException refused) {
            throw new ToolException(statusOf(refused.reason()), refused.getMessage(), refused);
        }
    }

    private static ExitStatus statusOf(SourceException.Reason reason) {
        return switch (reason) {
            case SEVERAL -> ExitStatus.USAGE;
            case CHANGED -> ExitStatus.IN_USE;
            case TOO_LARGE -> ExitStatus.FAILED;
        };
    }

    private ExitStatus runOnLogs() throws IOException {
        boolean isToDatabase = kind == TargetKind.POSTGRESQL;
        if (isToDatabase && url.isEmpty()) {
            throw wrong("--to postgresql needs --url and --node; --url names the database");
        }
        if (url.isPresent() && second != null) {
            throw wrong("with --url there is only " + (isToDatabase ? "FROM" : "TO") + "; leave '" + second + "' out");
        }
        return isToDatabase ? runIntoDatabase() : runIntoDirectory();
    }

    private ExitStatus runIntoDatabase() throws IOException {
        Disk disk = StoreAccess.SYSTEM.disk();
        LogSource source = source(required(first, 0), disk, MigrateCommand::temporary);
        try (StagedInDatabase target =
                new StagedInDatabase(remoteLog(isDatabase(first)).with(targetSettings()))) {
            return run(source, target);
        }
    }

    /** States of any size that another store may have, where nothing else is said. */
    private Map<String, String> targetSettings() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(StoreOption.MAX_STATE_SIZE.key(), StoreAt.LARGEST_STATE_BYTES + "B");
        all.putAll(settings);
        return all;
    }

    private ExitStatus runIntoDirectory() throws IOException {
        Path to = path(url.isPresent() ? required(first, 1) : required(second, 1), "TO");
        StoreAt.checkNoLink(StoreAccess.SYSTEM.disk(), to.toAbsolutePath().normalize());
        StoreAccess access = owner.accessTo(to);
        try (Staging staging = Staging.at(access.disk(), to)) {
            LogSource source = url.isPresent()
                    ? new RemoteSource(remoteLog(false))
                    : source(required(first, 0), access.disk(), () -> scratch(staging));
            checkIsBeside(access.disk(), staging);
            NewPlace.checkOutsideStores(access.disk(), to);
            TargetStore target = new ConfiguredTarget(kind, settings, access, () -> scratch(staging));
            return run(source, new StagedDirectory(staging, target));
        }
    }

    private ExitStatus run(LogSource found, MigrationTarget target) throws IOException {
        Findings findings = new Findings();
        MarkingSource source = new MarkingSource(found);
        checkIsFree(source);
        Optional<EarlierMigration> earlier = EarlierMigration.of(StoreAccess.SYSTEM.disk(), source);
        boolean isThere = earlier.isPresent() && earlier.get().made(target.identity(StoreAccess.SYSTEM.disk()));
        if (earlier.isPresent() && !isThere && !again) {
            throw earlier.get().refusal(source);
        }
        Migration.Result result = migrate(source, target, findings, () -> earlier.filter(made -> isThere)
                .map(made -> made.remedy(source.mark()))
                .orElseGet(target::remedy));
        if (!dryRun && source.markPlace().isPresent()) {
            mark(source, target, findings);
        }
        answer(source, target, result, findings);
        return findings.damages().isEmpty() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }

    private Migration.Result migrate(
            LogSource source, MigrationTarget target, Findings findings, Supplier<String> remedy) throws IOException {
        try (Progress copying = output().progress(Migration.Step.COPYING.text());
                Progress comparing = output().progress(Migration.Step.COMPARING.text())) {
            Migration migration = new Migration(
                    source,
                    target,
                    (step, states) -> (step == Migration.Step.COPYING ? copying : comparing).at(states, 0, "states"),
                    remedy);
            return dryRun ? migration.dryRun(findings) : migration.run(findings, leaveOutDamaged);
        }
    }

    /** @param isLoginOfSource whether user and password are those of a source in another database */
    private RemoteLog remoteLog(boolean isLoginOfSource) {
        if (node.isEmpty()) {
            throw wrong("--url names a database with the logs of many nodes; give --node too");
        }
        return new RemoteLog(RemoteLogOption.settings(
                spec(),
                url.orElseThrow(),
                isLoginOfSource ? Optional.empty() : user,
                isLoginOfSource ? Optional.empty() : passwordFile,
                schema,
                node));
    }

    private static boolean isDatabase(String from) {
        return from.regionMatches(true, 0, JDBC_PREFIX, 0, JDBC_PREFIX.length());
    }

    /** The source is migrated already, so this fails with a remark only. */
    private void mark(MarkingSource source, MigrationTarget target, Findings findings) {
        Path place = source.markPlace().orElseThrow();
        try {
            Disk disk = owner.accessTo(place).disk();
            source.mark().write(disk, place, target.name(), target.identity(disk));
        } catch (IOException | SourceException | ToolException refused) {
            findings.remark(
                    place,
                    "not marked as migrated: " + refused.getMessage()
                            + "; the new store refuses to open beside it until the source is moved away, or"
                            + " tallystick.on-old-log=ignore is set");
        }
    }

    private LogSource source(String from, Disk disk, Supplier<Path> scratch) throws IOException {
        if (isDatabase(from)) {
            Properties login = new Properties();
            user.ifPresent(name -> login.setProperty("user", name));
            password(disk).ifPresent(secret -> login.setProperty("password", secret));
            return new TableSource(Drivers.find(from, driver, driverPath), from, login, table);
        }
        return LogSources.in(disk, path(from, "FROM"), scratch);
    }

    private void checkIsBeside(Disk disk, Staging staging) throws IOException {
        if (url.isPresent() || isDatabase(first)) {
            return;
        }
        Path real = disk.realPath(path(first, "FROM").toAbsolutePath().normalize());
        if (staging.target().startsWith(real) || real.startsWith(staging.target())) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "FROM=" + real + " and TO=" + staging.target()
                            + " are the same directory, or one lies in the other; give a target beside the source");
        }
    }

    private Path path(String text, String what) {
        try {
            return Path.of(text);
        } catch (InvalidPathException notAPath) {
            throw new ToolException(
                    ExitStatus.USAGE, what + " is not a path or a URL: " + notAPath.getMessage(), notAPath);
        }
    }

    private String required(String given, int index) {
        if (given == null) {
            ArgSpec missing = spec().positionalParameters().get(index);
            throw new MissingParameterException(
                    spec().commandLine(), missing, "Missing required parameter: '" + missing.paramLabel() + "'");
        }
        return given;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec().commandLine(), message);
    }

    private Optional<String> password(Disk disk) throws IOException {
        if (passwordFile.isEmpty()) {
            return Optional.ofNullable(password).map(String::valueOf);
        }
        String text = new String(SourceFile.read(disk, passwordFile.get()), StandardCharsets.UTF_8);
        return text.lines().findFirst();
    }

    /** A directory for a copy: on the target's disk, which must have room anyway, once the target is taken. */
    private static Path scratch(Staging staging) {
        return staging.hasScratch() ? staging.scratch() : temporary();
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"), "tallystick-migrate-" + UUID.randomUUID());
    }

    private void checkIsFree(LogSource source) throws IOException {
        Optional<String> holder = source.holder();
        if (holder.isPresent()) {
            throw new ToolException(
                    ExitStatus.IN_USE,
                    source.description() + " is in use by " + holder.get() + "; stop it and run this again");
        }
        if (source.mustBeStopped()) {
            output().remark(
                            "Narayana's stores take no lock: make sure that no process uses %s until the end",
                            source.description());
        }
    }

    private void answer(LogSource source, MigrationTarget target, Migration.Result result, Findings findings) {
        if (output().isJson()) {
            output().json(json(source, target, result, findings));
            return;
        }
        findings.damages().forEach(each -> output().line("%s", "left out: " + text(each)));
        findings.remarks().forEach(each -> output().line("%s", "remark: " + text(each)));
        output().line("from  %s", Escaped.place(source.description()));
        output().line("to    %s, %s", Escaped.place(target.place()), target.description());
        output().line(
                        "%s, %s, crc32c=%s%s",
                        Escaped.count(result.tally().states(), "state"),
                        Escaped.count(result.tally().bytes(), "byte"),
                        result.tally().checksum(),
                        counts(result.tally()));
        output().line(
                        switch (result.outcome()) {
                            case MIGRATED ->
                                "migrated: each state was read back from the new store and is the same, byte by byte";
                            case ALREADY_THERE ->
                                "already there: the target holds the same states, byte by byte; nothing was changed";
                            case ONLY_READ -> "dry run: nothing was changed";
                        });
    }

    private static String text(Findings.Finding finding) {
        return Escaped.place(finding.place()) + ": " + Escaped.message(finding.text());
    }

    private static String counts(Tally tally) {
        StringBuilder text = new StringBuilder();
        tally.counts().forEach((status, count) -> text.append(String.format(Locale.ROOT, ", %s %,d", status, count)));
        return text.toString();
    }

    private JsonObject json(LogSource source, MigrationTarget target, Migration.Result result, Findings findings) {
        JsonObject statuses = Json.object();
        result.tally().counts().forEach((status, count) -> statuses.add(status.name(), count));
        return Json.object()
                .add("outcome", result.outcome().name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .add("from", source.description())
                .add("to", result.target())
                .add("kind", target.description())
                .add("states", result.tally().states())
                .add("bytes", result.tally().bytes())
                .add("statuses", statuses)
                .add("crc32c", result.tally().checksum())
                .add("cutOffBefore", result.hadLeftovers())
                .add("leftOut", json(findings.damages()))
                .add("remarks", json(findings.remarks()));
    }

    private static JsonArray json(List<Findings.Finding> findings) {
        JsonArray array = Json.array();
        findings.forEach(
                each -> array.add(Json.object().add("place", each.place()).add("text", each.text())));
        return array;
    }
}
