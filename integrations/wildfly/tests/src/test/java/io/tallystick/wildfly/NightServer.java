package io.tallystick.wildfly;

import io.tallystick.narayana.night.NightBook;
import io.tallystick.wildfly.app.NightServlet;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** What a night needs of a server: an application, and the commands as docs/embedding-wildfly.md has them. */
final class NightServer {
    private static final List<String> CLASSES =
            List.of("Night", "NightBook", "NightResource", "NightXid", "Escrow", "Escrow$1", "NightRecovery");
    private static final List<String> MODULES = List.of(
            "org/jboss/jts",
            "org/jboss/logging",
            "org/jboss/jboss-transaction-spi",
            "jakarta/transaction/api",
            "jakarta/resource/api",
            "io/tallystick");
    private static final String STRUCTURE = """
            <jboss-deployment-structure>
              <deployment>
                <dependencies>
                  <module name="org.jboss.jts"/>
                  <module name="org.jboss.jboss-transaction-spi"/>
                  <module name="jakarta.resource.api"/>
                </dependencies>
              </deployment>
            </jboss-deployment-structure>
            """;

    private NightServer() {}

    /** The settings of the commands that the page has: the jar of the server would have them recover as JTS does. */
    static Map<String, String> settings(Path log) {
        String recovery = "com.arjuna.ats.internal.jta.recovery.arjunacore.";
        return Map.of(
                "tallystick.store", "journal",
                "tallystick.directory", log.toString(),
                "JTAEnvironmentBean.orphanSafetyInterval", "1000",
                "RecoveryEnvironmentBean.recoveryBackoffPeriod", "1",
                "JTAEnvironmentBean.xaResourceOrphanFilterClassNames",
                        recovery + "JTATransactionLogXAResourceOrphanFilter " + recovery
                                + "JTANodeNameXAResourceOrphanFilter " + recovery
                                + "JTAActionStatusServiceXAResourceOrphanFilter",
                "RecoveryEnvironmentBean.recoveryActivatorClassNames", "",
                "RecoveryEnvironmentBean.expiryScannerClassNames",
                        "com.arjuna.ats.internal.arjuna.recovery.ExpiredTransactionStatusManagerScanner",
                "RecoveryEnvironmentBean.recoveryModuleClassNames",
                        "com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule " + recovery
                                + "SubordinateAtomicActionRecoveryModule " + recovery + "XARecoveryModule");
    }

    /** Deploys the application at {@code /night}. */
    static void deployOn(Server server) throws IOException {
        Path war = server.base().resolve("deployments/night.war");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(war))) {
            zip.putNextEntry(new ZipEntry("WEB-INF/jboss-deployment-structure.xml"));
            zip.write(STRUCTURE.getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
            add(zip, NightServlet.class.getName());
            // By their names: what they are made of is in the server, and not here.
            for (String name : CLASSES) {
                add(zip, NightBook.class.getPackageName() + "." + name);
            }
        }
    }

    private static void add(ZipOutputStream zip, String type) throws IOException {
        String file = type.replace('.', '/') + ".class";
        zip.putNextEntry(new ZipEntry("WEB-INF/classes/" + file));
        try (InputStream bytes = NightServer.class.getClassLoader().getResourceAsStream(file)) {
            bytes.transferTo(zip);
        }
        zip.closeEntry();
    }

    /** That of the commands: jars of the server's modules, and the classes of the application. */
    static String classPath() throws IOException {
        try (Stream<Path> files = Files.walk(Distribution.HOME.resolve("modules"))) {
            String modules = files.filter(file -> file.toString().endsWith(".jar"))
                    .filter(file -> MODULES.stream().anyMatch(file.getParent().toString()::contains))
                    .map(Path::toString)
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
            return modules + File.pathSeparator + placeOf(NightBook.class.getName());
        }
    }

    /** That of the tool. */
    static String toolClassPath() throws IOException {
        return Stream.of(
                                "io.tallystick.tool.Main",
                                "picocli.CommandLine",
                                "com.eclipsesource.json.Json",
                                "org.HdrHistogram.Histogram")
                        .map(NightServer::placeOf)
                        .collect(Collectors.joining(File.pathSeparator))
                + File.pathSeparator
                + classPath();
    }

    /** The jar or the directory of a class on the class path of the tests. */
    private static String placeOf(String type) {
        String file = type.replace('.', '/') + ".class";
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(place -> has(Path.of(place), file))
                .findFirst()
                .orElseThrow();
    }

    private static boolean has(Path place, String file) {
        if (!Files.isRegularFile(place)) {
            return Files.exists(place.resolve(file));
        }
        try (JarFile jar = new JarFile(place.toFile())) {
            return jar.getEntry(file) != null;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
