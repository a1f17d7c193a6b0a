package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.NarayanaSettings.Role;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.InvalidPropertiesFormatException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Tells what a process with these settings would do. */
@Command(
        name = "doctor",
        description = {
            "Tell what a process with these settings would use: which class serves which of Narayana's roles, which store in"
                    + " which directory, who has it, on what file system; and what is wrong with that. Changes nothing.",
            ""
        })
final class DoctorCommand extends ToolCommand {
    private static final String CONFIGURATION_FILE_VARIABLE = "TALLYSTICK_CONFIGURATION_FILE";
    private static final String SUB_DIRECTORY = "TallystickObjectStore";

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "a system property that the process will have; its environment is taken from this one's")
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

    private final List<String> lines = new ArrayList<>();
    private final JsonObject answer = Json.object();
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    @Override
    protected ExitStatus run() throws IOException {
        Properties system = new Properties();
        system.putAll(systemProperties);
        NarayanaSettings narayana = new NarayanaSettings(system, readNarayana());
        tellRoles(narayana);
        tellNode(narayana);
        try {
            tellStore(configuration(narayana), narayana);
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
        } else {
            try (Reader reader = Files.newBufferedReader(narayanaFile, StandardCharsets.UTF_8)) {
                properties.load(reader);
            }
        }
        return properties;
    }

    private StoreConfiguration configuration(NarayanaSettings narayana) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder()
                .withProperties(narayana.properties())
                .withVariables(System.getenv());
        narayana.apply(Role.ACTION, builder);
        String file = propertiesFile != null
                ? propertiesFile.toString()
                : narayana.properties()
                        .getProperty(
                                StoreConfiguration.CONFIGURATION_FILE_KEY, System.getenv(CONFIGURATION_FILE_VARIABLE));
        if (file != null) {
            builder.withFile(Path.of(file));
        }
        return builder.build();
    }

    private void tellRoles(NarayanaSettings narayana) {
        Map<Role, String> classes = new EnumMap<>(Role.class);
        JsonObject roles = Json.object();
        for (Role role : Role.values()) {
            classes.put(role, narayana.storeClass(role));
            roles.add(role.title(), classes.get(role));
            lines.add(String.format("%-20s %s", role.title(), classes.get(role)));
        }
        answer.add("roles", roles);
        long ours = classes.values().stream()
                .filter(NarayanaSettings.OUR_CLASS::equals)
                .count();
        if (ours == 0) {
            warnings.add(
                    "no role of Narayana is served by Tallystick: set -DObjectStoreEnvironmentBean.objectStoreType="
                            + NarayanaSettings.OUR_CLASS);
        } else if (ours < classes.size()) {
            classes.forEach((role, type) -> {
                if (!type.equals(NarayanaSettings.OUR_CLASS)) {
                    warnings.add("the " + role.title() + " stays with " + type + ": set ObjectStoreEnvironmentBean."
                            + role.bean() + "objectStoreType, too, unless you mean it");
                }
            });
        }
        narayana.misnamed()
                .forEach(key -> problems.add("nobody reads " + key
                        + ": the log's bean has no name; write ObjectStoreEnvironmentBean.objectStoreType"));
    }

    private void tellNode(NarayanaSettings narayana) {
        String node = narayana.nodeIdentifier().orElse("");
        answer.add("nodeIdentifier", node);
        lines.add(String.format("%-20s %s", "nodeIdentifier", node.isEmpty() ? "not set" : node));
        if (node.isEmpty() || node.equals("1")) {
            warnings.add("CoreEnvironmentBean.nodeIdentifier is "
                    + (node.isEmpty() ? "not set" : "1, as in the file that" + " narayana-jta brings")
                    + ": two nodes that share a resource must differ, and a node must keep it"
                    + " over restarts");
        }
        if (!node.isEmpty()
                && !narayana.recoveryNodes().contains(node)
                && !narayana.recoveryNodes().contains("*")) {
            warnings.add("JTAEnvironmentBean.xaRecoveryNodes " + narayana.recoveryNodes() + " does not name the node "
                    + node + ": branches without a record are never rolled back");
        }
    }

    private void tellStore(StoreConfiguration configuration, NarayanaSettings narayana) throws IOException {
        String store = configuration.get(StoreOption.STORE);
        boolean isJournal = store.equals("journal");
        String engine = isJournal ? configuration.get(StoreOption.JOURNAL_ENGINE) : "";
        JsonObject json = Json.object().add("store", store);
        lines.add(String.format("%-20s %s%s", "store", store, isJournal ? " engine=" + engine : ""));
        if (isJournal) {
            json.add("engine", engine);
            tellIo(configuration.get(StoreOption.JOURNAL_IO), json);
        }
        answer.add("store", json);
        if (store.equals("inmemory")) {
            warnings.add("the store in memory is gone when the process ends, and nothing can be recovered");
            return;
        }
        if (configuration.get(StoreOption.ON_UNKNOWN_OUTCOME) == StoreOption.OnUnknownOutcome.THROW) {
            warnings.add("tallystick.on-unknown-outcome=throw: Narayana rolls back when a write's outcome is unknown,"
                    + " which may divide the resources; set halt where something restarts the process");
        }
        Optional<Path> directory = directory(configuration, narayana);
        if (directory.isEmpty()) {
            problems.add("no directory is configured: set tallystick.directory");
            return;
        }
        json.add("directory", directory.get().toString());
        lines.add(String.format(
                "%-20s %s", "directory", Escaped.of(directory.get().toString())));
        tellDirectory(directory.get(), isJournal ? "journal-" + engine + "-v1" : store + "-v1", configuration, json);
    }

    private void tellIo(String io, JsonObject json) {
        json.add("io", io);
        lines.add(String.format(
                "%-20s %s", "io", io.equals("auto") ? "auto: tried at each opening; probe-disk tries it now" : io));
        boolean isDevice = io.equals("aio") || io.equals("uring");
        if (isDevice && DiskDevice.named(io).isEmpty()) {
            problems.add("tallystick.journal.io=" + io + " needs the artifact tallystick-native");
        }
    }

    private static Optional<Path> directory(StoreConfiguration configuration, NarayanaSettings narayana) {
        Optional<Path> configured = configuration.find(StoreOption.DIRECTORY);
        return configured.isPresent()
                ? configured
                : narayana.objectStoreDir()
                        .filter(directory -> !directory.isBlank() && !directory.equals(NarayanaSettings.PLACEHOLDER))
                        .map(directory -> Path.of(directory).resolve(SUB_DIRECTORY));
    }

    private void tellDirectory(Path directory, String wantedKind, StoreConfiguration configuration, JsonObject json)
            throws IOException {
        Optional<String> configuredNode = configuration.find(StoreOption.NODE_ID);
        if (!directory.isAbsolute()) {
            warnings.add(
                    "directory=" + directory + " depends on where the process is started; configure an absolute path");
        }
        if (Files.isSymbolicLink(directory)) {
            problems.add("directory=" + directory + " is a symbolic link; configure the path that it points to");
            return;
        }
        Optional<StoreGlance> glance;
        try {
            glance = StoreGlance.at(new SystemDisk(), directory);
        } catch (StoreDirectoryException newer) {
            problems.add(newer.getMessage());
            return;
        }
        tellFileSystem(directory, json);
        if (glance.isEmpty() || StoreAt.isFree(directory)) {
            json.add("found", "nothing");
            lines.add(String.format("%-20s nothing yet; the first opening makes the store", "found"));
            if (configuration.get(StoreOption.EXPECT_EXISTING)) {
                problems.add("tallystick.expect-existing=true, but there is no store in directory=" + directory
                        + ": is the volume mounted?");
            }
            return;
        }
        glance.get().damages().forEach(damage -> problems.add(damage.getMessage()));
        if (glance.get().identity().isEmpty()) {
            if (glance.get().damages().isEmpty()) {
                problems.add("directory=" + directory + " is not empty and holds no store; configure another one");
            }
            return;
        }
        String kind = glance.get().identity().get().kind();
        json.add("found", kind).add("id", glance.get().identity().get().id().toString());
        lines.add(String.format(
                "%-20s %s id=%s", "found", kind, glance.get().identity().get().id()));
        if (!kind.equals(wantedKind)) {
            problems.add("directory=" + directory + " holds a store of kind " + kind + ", but " + wantedKind
                    + " is configured; configure what is there, or another directory");
        }
        String holder = glance.get().holder().orElse("");
        json.add("inUseBy", holder);
        lines.add(String.format("%-20s %s", "in use", holder.isEmpty() ? "no" : "by " + Escaped.message(holder)));
        glance.get().nodeId().ifPresent(node -> {
            json.add("node", node);
            lines.add(String.format("%-20s %s", "node", node));
            if (configuredNode.isPresent() && !configuredNode.get().equals(node)) {
                problems.add("tallystick.node-id=" + configuredNode.get() + ", but the store belongs to node " + node
                        + ": is the right volume mounted?");
            }
        });
    }

    /** Of the nearest directory that is there. */
    private void tellFileSystem(Path directory, JsonObject json) throws IOException {
        Path there = directory.toAbsolutePath().normalize();
        while (!Files.isDirectory(there) && there.getParent() != null) {
            there = there.getParent();
        }
        Mount mount = Mount.of(there);
        long freeBytes = new SystemDisk().usableSpace(there);
        json.add("fileSystem", mount.type()).add("freeBytes", freeBytes);
        lines.add(String.format(
                Locale.ROOT,
                "%-20s %s%s, %,d bytes free",
                "file system",
                mount.type(),
                mount.point().isEmpty() ? "" : " mounted at " + Escaped.of(mount.point()),
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
}
