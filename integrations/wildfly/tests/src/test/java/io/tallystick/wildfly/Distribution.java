package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.wildfly.h2.TroubledXaDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A WildFly as people download it, with our zip unpacked over it. A test class prepares one of its configurations: two
 * XA data sources are H2 databases in files, and our script is applied by the management client.
 */
final class Distribution {
    /** Where the server is. */
    static final Path HOME = Path.of(System.getProperty("server.home"));

    private static final String H2_VERSION = System.getProperty("h2.version");

    // What the application does not use, so that the server starts in half the time.
    private static final List<String> NEEDLESS = List.of(
            "batch-jberet",
            "discovery",
            "distributable-ejb",
            "distributable-web",
            "ee-security",
            "ejb3",
            "elytron-oidc-client",
            "health",
            "infinispan",
            "jaxrs",
            "jpa",
            "jsf",
            "mail",
            "metrics",
            "microprofile-config-smallrye",
            "microprofile-jwt-smallrye",
            "pojo",
            "sar",
            "webservices",
            "weld");

    private final Path work;
    private final Path configuration;
    private final Server offline;

    private Distribution(Path work, Path configuration) {
        this.work = work;
        this.configuration = configuration;
        this.offline = new Server(HOME, work.resolve("offline"));
    }

    /**
     * Prepares a configuration as it was downloaded, and adds the two databases.
     *
     * @param name such as {@code standalone.xml}
     * @param commands further ones of the management client
     */
    static Distribution with(Path work, String name, String... commands) throws IOException {
        Directories.delete(work);
        Zip.unpack(Path.of(System.getProperty("tallystick.zip")), HOME);
        addDriver();
        Path configuration = HOME.resolve("standalone/configuration").resolve(name);
        Path asDownloaded = configuration.resolveSibling(name + ".as-downloaded");
        if (!Files.exists(asDownloaded)) {
            Files.copy(configuration, asDownloaded);
        }
        Files.copy(asDownloaded, configuration, StandardCopyOption.REPLACE_EXISTING);
        Distribution distribution = new Distribution(work, configuration);
        distribution.apply("""
                # H2 keeps a commit in memory for half a second unless it is told not to. And it answers from its memory
                # of the last query although recovery has committed a branch since.
                /subsystem=transactions:write-attribute(name=node-identifier,value=shop-1)
                /subsystem=datasources/jdbc-driver=troubled:add(driver-name=troubled,driver-module-name=test.h2,\
                driver-class-name=org.h2.Driver,\
                driver-xa-datasource-class-name=io.tallystick.wildfly.h2.TroubledXaDataSource)
                xa-data-source add --name=OrdersDS --jndi-name=java:jboss/datasources/OrdersDS --driver-name=h2 \
                --xa-datasource-properties=[{"URL"=>"jdbc:h2:file:${jboss.server.base.dir}/db/orders;\
                WRITE_DELAY=0;OPTIMIZE_REUSE_RESULTS=0"}] \
                --max-pool-size=40 --user-name=sa --password=sa
                xa-data-source add --name=StockDS --jndi-name=java:jboss/datasources/StockDS --driver-name=troubled \
                --xa-datasource-properties=[{"URL"=>"jdbc:h2:file:${jboss.server.base.dir}/db/stock;\
                WRITE_DELAY=0;OPTIMIZE_REUSE_RESULTS=0"}] \
                --max-pool-size=40 --user-name=sa --password=sa
                batch
                %s
                run-batch
                """.formatted(Stream.concat(
                        Stream.of(commands), NEEDLESS.stream().map(subsystem -> "/subsystem=" + subsystem + ":remove"))
                .collect(Collectors.joining("\n"))));
        return distribution;
    }

    /** The configuration as it is now. */
    String xml() throws IOException {
        return Files.readString(configuration);
    }

    /** Runs our script, as the page says. */
    void install() {
        String[] options = name().equals("standalone.xml") ? new String[0] : new String[] {"-Dserver.config=" + name()};
        assertThat(offline.script(HOME.resolve("bin/tallystick-install.cli"), options))
                .doesNotContain("failed");
    }

    /** Runs commands of the management client on the configuration. */
    void apply(String commands) throws IOException {
        Path script = Files.writeString(
                work.resolve("commands.cli"),
                "embed-server --server-config=" + name() + "\n" + commands + "stop-embedded-server\n");
        assertThat(offline.script(script)).doesNotContain("failed");
    }

    private String name() {
        return configuration.getFileName().toString();
    }

    private static void addDriver() throws IOException {
        Path module = HOME.resolve("modules/test/h2/main");
        Zip.write(module.resolve("driver.jar"), "", Zip.classesOf(TroubledXaDataSource.class));
        // The server loads both classes of a driver with one loader.
        Path h2 = HOME.resolve("modules/system/layers/base/com/h2database/h2/main/h2-" + H2_VERSION + ".jar");
        Files.copy(h2, module.resolve("h2.jar"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(module.resolve("module.xml"), """
                <module name="test.h2" xmlns="urn:jboss:module:1.9">
                  <resources>
                    <resource-root path="driver.jar"/>
                    <resource-root path="h2.jar"/>
                  </resources>
                  <dependencies>
                    <module name="java.se"/>
                  </dependencies>
                </module>
                """);
    }
}
