package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.Disk;
import io.tallystick.storage.Mount;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.spi.ServerReport;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.MarkedLoss;
import io.tallystick.tool.command.NarayanaSettings;
import io.tallystick.tool.command.NarayanaSettings.Role;
import io.tallystick.tool.command.RemoteLog;
import io.tallystick.tool.command.RemoteLogOption;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolCommand;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.InvalidPropertiesFormatException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the store, the directory and the roles that a process with these settings would use, and the problems. */
@Command(
        name = "doctor",
        description = {
            "Show what a process with these settings would use: which class serves which of Narayana's roles, which"
                    + " store in which directory, the process that has it, the file system, and the problems. Tries"
                    + " the settings on a small store beside it, and deletes that; changes no more but by --retry-io.",
            ""
        })
final class DoctorCommand extends ToolCommand {
    private static final String CONFIGURATION_FILE_VARIABLE = "TALLYSTICK_CONFIGURATION_FILE";
    private static final String POSTGRESQL = "postgresql";
    static final String SUB_DIRECTORY = "TallystickObjectStore";
    private static final Pattern FRAMEWORK_FILE = Pattern.compile("application(-.*)?\\.properties");
    private static final Pattern READ_KEY =
            Pattern.compile("tallystick\\..*|.*(ObjectStore|TallystickStore)EnvironmentBean\\..*");
    private static final Pattern WAY =
            Pattern.compile("(channel|direct|aio|uring): (.*?)(?=$|; (?:channel|direct|aio|uring): )");

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "DIRECTORY",
            description = "the store's directory, as in -Dtallystick.directory; without a configured store, the"
                    + " store in this directory counts")
    private Path directory;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "a system property of the process; its environment is that of this command")
    private Map<String, String> systemProperties = new LinkedHashMap<>();

    @Option(
            names = "--narayana",
            paramLabel = "FILE",
            description = "Narayana's jbossts-properties.xml, also as plain properties")
    private Path narayanaFile;

    @Option(
            names = "--properties",
            paramLabel = "FILE",
            description = "a file of tallystick.* properties, as named by tallystick.configuration-file")
    private Path propertiesFile;

    @Mixin
    private RemoteLogOption remote;

    @Option(
            names = "--retry-io",
            description = "let the next opening of the journal try the ways to the disk again, instead of taking the"
                    + " one that it remembers; the store must not be open")
    private boolean isIoToBeRetried;

    @Option(
            names = "--framework",
            paramLabel = "FRAMEWORK",
            description = "the application has Tallystick's part for it, which installs the store:"
                    + " ${COMPLETION-CANDIDATES}; without this option the part is looked for on the class path of this"
                    + " command")
    private Framework framework;

    private Map<String, String> variables = System.getenv();
    private ClassLoader classPath = DoctorCommand.class.getClassLoader();

    private final List<String> lines = new ArrayList<>();
    private final JsonObject answer = Json.object();
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /** Replaces the environment of this process. */
    void setVariables(Map<String, String> others) {
        variables = Map.copyOf(others);
    }

    /** Replaces the class path on which a framework is looked for. */
    void setClassPath(ClassLoader other) {
        classPath = other;
    }

    @Override
    protected ExitStatus run() throws IOException {
        Properties system = new Properties();
        system.putAll(systemProperties);
        NarayanaSettings narayana = new NarayanaSettings(system, readNarayana());
        Optional<FrameworkSettings> installing = installing(system);
        SurroundingsReport.report(lines, answer);
        RolesReport roles = new RolesReport(narayana, installing, problems, warnings);
        if (!remote.isGiven()) { // otherwise this process says nothing about the node
            roles.reportRoles(lines, answer);
            roles.reportNode(lines, answer);
        }
        try {
            StoreConfiguration given = configuration(narayana, installing);
            if (!remote.isGiven()) { // otherwise the settings are for this look at the server
                roles.reportUnread(given);
            }
            reportStore(withPlace(given), narayana, installing);
        } catch (IllegalArgumentException | StoreException wrong) {
            problems.add(wrong.getMessage());
        }
        finish();
        return problems.isEmpty() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }

    private Properties readNarayana() throws IOException {
        Properties properties = new Properties();
        if (narayanaFile == null) {
            return properties;
        }
        if (narayanaFile.toString().endsWith(".xml")) {
            try (InputStream stream = Files.newInputStream(narayanaFile)) {
                properties.loadFromXML(stream);
            } catch (InvalidPropertiesFormatException wrong) {
                throw new ToolException(
                        ExitStatus.USAGE,
                        "file=" + narayanaFile + " is not a properties file in XML (" + wrong.getMessage()
                                + "); give Narayana's jbossts-properties.xml",
                        wrong);
            }
            return properties;
        }
        return read(narayanaFile);
    }

    private StoreConfiguration configuration(NarayanaSettings narayana, Optional<FrameworkSettings> installing)
            throws IOException {
        StoreConfiguration.Builder builder = StoreConfiguration.builder()
                .withProperties(narayana.properties())
                .withVariables(variables);
        narayana.apply(Role.ACTION, builder);
        boolean isOfFramework = isFrameworksFile();
        if (isOfFramework && installing.isPresent()) {
            FrameworkSettings settings = installing.get();
            settings.framework().settingsIn(settings.file().orElseThrow()).forEach(builder::set);
        } else if (isOfFramework) {
            reportFrameworkFile(propertiesFile);
        }
        String file = propertiesFile != null && !isOfFramework
                ? propertiesFile.toString()
                : narayana.properties()
                        .getProperty(
                                StoreConfiguration.CONFIGURATION_FILE_KEY, variables.get(CONFIGURATION_FILE_VARIABLE));
        if (file != null) {
            builder.withFile(Path.of(file));
        }
        return builder.build();
    }

    private Optional<FrameworkSettings> installing(Properties system) throws IOException {
        Optional<Framework> found = framework == null ? Framework.foundBy(classPath) : Optional.of(framework);
        Optional<Properties> file =
                found.isPresent() && isFrameworksFile() ? Optional.of(read(propertiesFile)) : Optional.empty();
        return found.map(each -> new FrameworkSettings(each, file, system, variables));
    }

    /** With {@code --framework} a file of any name is. */
    private boolean isFrameworksFile() {
        return propertiesFile != null
                && (framework != null
                        || FRAMEWORK_FILE
                                .matcher(propertiesFile.getFileName().toString())
                                .matches());
    }

    private static Properties read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        return properties;
    }

    /**
     * Reports keys in a file of a framework that has no part of ours: it does not pass them on, so Narayana and the
     * store do not see them.
     */
    private void reportFrameworkFile(Path file) throws IOException {
        Properties properties = read(file);
        List<String> keys = properties.stringPropertyNames().stream()
                .filter(key -> READ_KEY.matcher(key).matches())
                .sorted()
                .toList();
        if (!keys.isEmpty()) {
            problems.add("no class reads " + String.join(", ", keys) + " from file=" + file
                    + ": give them as system properties, or the keys tallystick.* in a file of their own that"
                    + " tallystick.configuration-file names. With Tallystick's part for Spring Boot or Quarkus the file"
                    + " counts: give --framework");
        }
    }

    /**
     * The settings with the directory of the command line. If no setting names the store, the store in that directory
     * counts.
     */
    private StoreConfiguration withPlace(StoreConfiguration given) throws IOException {
        Optional<RemoteLog> log = remote.log();
        if (log.isPresent() && directory != null) {
            throw new ToolException(
                    ExitStatus.USAGE, "with --url there is no DIRECTORY; leave '" + directory + "' or --url out");
        }
        if (log.isPresent()) {
            return withLog(given, log.get().configuration());
        }
        if (directory == null) {
            return given;
        }
        if (given.isSet(StoreOption.DIRECTORY)
                && !given.get(StoreOption.DIRECTORY).equals(directory)) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "DIRECTORY=" + directory + ", but tallystick.directory=" + given.get(StoreOption.DIRECTORY)
                            + "; give one of them");
        }
        StoreConfiguration.Builder builder = given.toBuilder().directory(directory);
        if (!given.isSet(StoreOption.STORE) && !given.isSet(StoreOption.JOURNAL_ENGINE) && isStore(directory)) {
            StoreAt there = StoreAt.find(directory);
            builder.store(there.store());
            there.engine().ifPresent(engine -> builder.set(StoreOption.JOURNAL_ENGINE, engine));
        }
        return builder.build();
    }

    /** The settings with those that {@code --url} and the options beside it name; they win. */
    private static StoreConfiguration withLog(StoreConfiguration given, StoreConfiguration log) {
        StoreConfiguration.Builder builder = given.toBuilder()
                .store(log.get(StoreOption.STORE))
                .set(StoreOption.POSTGRESQL_URL, log.get(StoreOption.POSTGRESQL_URL))
                .set(StoreOption.NODE_ID, log.get(StoreOption.NODE_ID));
        log.find(StoreOption.POSTGRESQL_USER).ifPresent(user -> builder.set(StoreOption.POSTGRESQL_USER, user));
        log.find(StoreOption.POSTGRESQL_PASSWORD_FILE)
                .ifPresent(file -> builder.set(StoreOption.POSTGRESQL_PASSWORD_FILE, file));
        if (log.isSet(StoreOption.POSTGRESQL_SCHEMA)) {
            builder.set(StoreOption.POSTGRESQL_SCHEMA, log.get(StoreOption.POSTGRESQL_SCHEMA));
        }
        return builder.build();
    }

    private static boolean isStore(Path directory) {
        try {
            return !Files.isSymbolicLink(directory)
                    && StoreGlance.at(new SystemDisk(), directory)
                            .flatMap(StoreGlance::identity)
                            .isPresent();
        } catch (IOException toldLater) {
            return false;
        }
    }

    private void reportStore(
            StoreConfiguration configuration, NarayanaSettings narayana, Optional<FrameworkSettings> installing)
            throws IOException {
        String store = configuration.get(StoreOption.STORE);
        boolean isJournal = store.equals("journal");
        String engine = isJournal ? configuration.get(StoreOption.JOURNAL_ENGINE) : "";
        JsonObject json = Json.object().add("store", store);
        lines.add(text("%-20s %s%s", "store", store, isJournal ? " engine=" + engine : ""));
        if (isJournal) {
            json.add("engine", engine);
            json.add("io", configuration.get(StoreOption.JOURNAL_IO));
        }
        answer.add("store", json);
        if (store.equals(POSTGRESQL)) { // never tried: that would take the log over
            reportUnknownOutcome(configuration);
            reportServer(configuration, narayana, json);
            return;
        }
        Optional<Path> directory = directory(configuration, narayana, installing);
        tryOut(configuration, directory, json);
        if (store.equals("inmemory")) {
            warnings.add("the store in memory ends with the process, and no transaction can be recovered");
            return;
        }
        reportUnknownOutcome(configuration);
        if (directory.isEmpty()) {
            problems.add("no directory is configured: set tallystick.directory"
                    + installing
                            .map(FrameworkSettings::framework)
                            .map(each -> ", or give DIRECTORY: " + each.title() + " has the store in " + SUB_DIRECTORY
                                    + " below " + each.directoryKey())
                            .orElse(""));
            return;
        }
        json.add("directory", directory.get().toString());
        lines.add(text("%-20s %s", "directory", Escaped.place(directory.get().toString())));
        ProcessNode node = ProcessNode.of(configuration, narayana, installing);
        reportDirectory(
                directory.get(), node, isJournal ? "journal-" + engine + "-v1" : store + "-v1", configuration, json);
        if (isIoToBeRetried && json.get("ioRetried") == null) {
            problems.add("--retry-io: directory=" + directory.get() + " holds no journal that could be opened, so there"
                    + " is nothing to try again");
        }
    }

    private void reportUnknownOutcome(StoreConfiguration configuration) {
        if (configuration.get(StoreOption.ON_UNKNOWN_OUTCOME) == StoreOption.OnUnknownOutcome.THROW) {
            warnings.add("tallystick.on-unknown-outcome=throw: Narayana rolls back when a write's outcome is unknown,"
                    + " which may divide the resources; set halt where something restarts the process");
        }
    }

    private void reportServer(StoreConfiguration configuration, NarayanaSettings narayana, JsonObject json) {
        String node = configuration.get(StoreOption.NODE_ID);
        narayana.nodeIdentifier()
                .filter(identifier -> !identifier.equals(node))
                .ifPresent(identifier -> problems.add("tallystick.node-id=" + node
                        + ", but CoreEnvironmentBean.nodeIdentifier=" + identifier
                        + ": a log in a database belongs to the transaction manager's node; give both the same"));
        ServerReport report = new RemoteLog(configuration).logs().examine(configuration);
        JsonObject values = Json.object();
        for (ServerReport.Fact fact : report.facts()) {
            values.add(fact.name(), fact.value());
            lines.add(text("%-26s %s", fact.name(), Escaped.message(fact.value())));
        }
        json.add("node", node).add("server", values);
        problems.addAll(report.problems());
        warnings.addAll(report.warnings());
    }

    /** Reports the errors that the application would get because of its settings when it opens the store. */
    private void tryOut(StoreConfiguration configuration, Optional<Path> place, JsonObject json) {
        Path where = place.orElse(Path.of(System.getProperty("java.io.tmpdir")).resolve(SUB_DIRECTORY));
        try {
            TrialOpening trial = TrialOpening.forStoreIn(where);
            StoreDescription ran =
                    trial.run(configuration.toBuilder().directory(where).build());
            if (json.get("io") != null) {
                reportIo(ran, place.isPresent() && trial.isOnItsDisk(), json);
            }
        } catch (IllegalArgumentException | StoreException refused) {
            problems.add(refused.getMessage());
        } catch (IOException failed) {
            problems.add("a trial of these settings failed: " + failed);
        }
    }

    private void reportIo(StoreDescription ran, boolean isOnItsDisk, JsonObject json) {
        String io = json.getString("io", "");
        String chosen = ran.io().orElse(io);
        if (!isOnItsDisk) {
            lines.add(text("%-20s %s, not tried: there is no place beside the store on its disk", "io", io));
            return;
        }
        lines.add(text("%-20s %s%s", "io", io, io.equals(chosen) ? "" : ", " + chosen + " now"));
        JsonObject ways = Json.object();
        Matcher way = WAY.matcher(ran.details());
        while (way.find()) {
            ways.add(way.group(1), way.group(2));
            lines.add(text("  %-18s %s", way.group(1), Escaped.message(way.group(2))));
        }
        json.add("chosen", chosen).add("ways", ways);
    }

    private static Optional<Path> directory(
            StoreConfiguration configuration, NarayanaSettings narayana, Optional<FrameworkSettings> installing) {
        Optional<Path> configured =
                configuration.find(StoreOption.DIRECTORY).or(() -> installing.flatMap(FrameworkSettings::directory));
        return configured.isPresent()
                ? configured
                : narayana.objectStoreDir()
                        .filter(directory -> !directory.isBlank() && !directory.equals(NarayanaSettings.PLACEHOLDER))
                        .map(directory -> Path.of(directory).resolve(SUB_DIRECTORY));
    }

    private void reportDirectory(
            Path directory, ProcessNode process, String wantedKind, StoreConfiguration configuration, JsonObject json)
            throws IOException {
        if (!directory.isAbsolute()) {
            warnings.add(
                    "directory=" + directory + " depends on where the process is started; configure an absolute path");
        }
        if (new SystemDisk().kindOf(directory) == Disk.PathKind.LINK) {
            problems.add("directory=" + directory
                    + " is a symbolic link or a junction; configure the path that it points to");
            return;
        }
        Optional<StoreGlance> glance;
        try {
            glance = StoreGlance.at(new SystemDisk(), directory);
        } catch (StoreDirectoryException newer) {
            problems.add(newer.getMessage());
            return;
        }
        reportFileSystem(directory, json);
        MarkedLoss.told(new SystemDisk(), directory).ifPresent(problems::add);
        if (glance.isEmpty() || StoreAt.isFree(directory)) {
            json.add("found", "nothing");
            lines.add(text("%-20s no store yet; the first opening makes it", "found"));
            reportRoom(directory, configuration, json.getLong("freeBytes", Long.MAX_VALUE));
            if (configuration.get(StoreOption.EXPECT_EXISTING)) {
                problems.add("tallystick.expect-existing=true, but there is no store in directory=" + directory
                        + ": is the volume mounted?");
            }
            return;
        }
        glance.get().damages().forEach(damage -> problems.add(damage.getMessage()));
        if (StoreDirectory.isBeingExchanged(new SystemDisk(), directory)) {
            problems.add(
                    "directory=" + directory + ": the files of the store are being exchanged, and it cannot be opened"
                            + " until 'tallystick repair --yes' has finished the exchange");
            return;
        }
        if (glance.get().identity().isEmpty()) {
            if (glance.get().damages().isEmpty()) {
                problems.add("directory=" + directory + " is not empty and holds no store; configure another one");
            }
            return;
        }
        String kind = glance.get().identity().get().kind();
        json.add("found", kind).add("id", glance.get().identity().get().id().toString());
        lines.add(text(
                "%-20s %s id=%s", "found", kind, glance.get().identity().get().id()));
        if (!kind.equals(wantedKind)) {
            problems.add("directory=" + directory + " holds a store of kind " + kind + ", but " + wantedKind
                    + " is configured; configure the store that is there, or another directory");
        }
        String holder = glance.get().holder().orElse("");
        json.add("inUseBy", holder);
        if (holder.isEmpty()) {
            reportDamage(directory);
        } else {
            warnings.add("the store is in use: a further process would be refused with TALLY0015");
        }
        lines.add(text("%-20s %s", "in use", holder.isEmpty() ? "no" : "by " + Escaped.message(holder)));
        if (kind.equals(wantedKind) && configuration.get(StoreOption.STORE).equals("journal")) {
            reportRememberedWay(new RememberedWay(directory), configuration, json);
        }
        PlaceReport.of(glance.get(), process.name().isPresent(), json, problems, warnings);
        glance.get().nodeId().ifPresent(node -> {
            json.add("node", node);
            lines.add(text("%-20s %s", "node", node));
            if (process.name().filter(name -> !name.equals(node)).isPresent()) {
                problems.add(process.key() + "=" + process.name().get() + ", but the store belongs to node " + node
                        + ": is the right volume mounted?");
            }
        });
    }

    private void reportRememberedWay(RememberedWay remembered, StoreConfiguration configuration, JsonObject json) {
        try {
            remembered.description().ifPresent(way -> {
                json.add("rememberedIo", way);
                lines.add(text("%-20s %s", "remembered io", way));
            });
        } catch (IOException unreadable) {
            warnings.add("the remembered way to the disk is lost: " + unreadable.getMessage());
        }
        if (isIoToBeRetried) {
            retryIo(remembered, configuration, json);
        }
    }

    private void retryIo(RememberedWay remembered, StoreConfiguration configuration, JsonObject json) {
        boolean isForgotten = false;
        String io = configuration.get(StoreOption.JOURNAL_IO);
        try {
            isForgotten = remembered.forget();
            if (!isForgotten) {
                problems.add("--retry-io: the store in directory=" + remembered.directory() + " is in use; close it,"
                        + " and run this again");
            } else if (io.equals(LogIo.AUTO)) {
                lines.add(text("%-20s the next opening tries the ways to the disk", "retry io"));
            } else {
                warnings.add("--retry-io has no effect as long as tallystick.journal.io=" + io
                        + ": only auto tries the ways to the disk");
            }
        } catch (IOException refused) {
            problems.add("--retry-io: the remembered way to the disk cannot be deleted: " + refused
                    + "; run as the user of the process");
        }
        json.add("ioRetried", isForgotten);
    }

    private void reportRoom(Path directory, StoreConfiguration configuration, long freeBytes) {
        TrialOpening.neededBytes(configuration.toBuilder().directory(directory).build())
                .filter(needed -> needed > freeBytes)
                .ifPresent(needed -> problems.add("a new store takes " + needed + " bytes in directory=" + directory
                        + ", but " + freeBytes + " are free; make room, or lower tallystick.journal.segment-size"));
    }

    /** A damaged store does not open. */
    private void reportDamage(Path directory) throws IOException {
        try {
            Path real = directory.toRealPath();
            StoreInspection inspection = StoreAccess.SYSTEM.inspectorOf(real).inspect(real);
            if (!inspection.isHealthy()) {
                problems.add(inspection.damages().get(0).describe() + "; 'tallystick verify' reports all damage");
            }
        } catch (StoreLockedException takenMeanwhile) {
            warnings.add("the store is in use: " + takenMeanwhile.getMessage());
        }
    }

    /** The room on the disk of the nearest existing directory. */
    private void reportFileSystem(Path directory, JsonObject json) throws IOException {
        Path there = directory.toAbsolutePath().normalize();
        while (!Files.isDirectory(there) && there.getParent() != null) {
            there = there.getParent();
        }
        Mount mount = Mount.of(there);
        long freeBytes = new SystemDisk().usableSpace(there);
        json.add("fileSystem", mount.type()).add("freeBytes", freeBytes);
        lines.add(text(
                "%-20s %s%s, %,d bytes free",
                "file system",
                mount.type(),
                mount.point().isEmpty() ? "" : " mounted at " + Escaped.place(mount.point()),
                freeBytes));
        warnings.addAll(mount.warnings());
        if (!Files.isWritable(there)) {
            problems.add("directory=" + there + " is not writable for this user; run as the user of the process");
        }
    }

    private void finish() {
        if (output().isJson()) {
            output().json(answer.add("problems", array(problems)).add("warnings", array(warnings)));
            return;
        }
        lines.forEach(line -> output().line("%s", line));
        problems.forEach(problem -> output().line("%-20s %s", "problem", Escaped.message(problem)));
        warnings.forEach(warning -> output().line("%-20s %s", "warning", Escaped.message(warning)));
    }

    private static JsonArray array(List<String> texts) {
        JsonArray array = Json.array();
        texts.forEach(array::add);
        return array;
    }

    /** The same in every locale. */
    static String text(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
