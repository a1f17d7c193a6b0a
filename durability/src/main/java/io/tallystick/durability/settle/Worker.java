package io.tallystick.durability.settle;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.durability.postgresql.TwoDatabases;
import io.tallystick.durability.ring.RecoveringNarayana;
import io.tallystick.durability.system.LogLevels;
import io.tallystick.narayana.AuditNode;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.RecoverNode;
import io.tallystick.narayana.SettleBranch;
import io.tallystick.narayana.recover.Arguments;
import io.tallystick.narayana.recover.Resources;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.tool.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.transaction.xa.XAResource;

/**
 * A process that lives as a node does, and carries out the commands of an operator in itself, one after another. So a
 * command takes milliseconds, and a kill hits its work and not the start of a virtual machine. Nothing of a command
 * stays for the next one: Narayana's statics are made anew.
 */
final class Worker {
    /** Before the status of a command. */
    static final String DONE = "done";

    /** Orders: the life of a node; its restart with a few scans; the step at which the next order ends as by a kill. */
    static final String LIFE = "life";

    static final String RESTART = "restart";
    static final String DIE_AT = "die-at";

    /** Before the id of a record that the restarted node shows as in doubt. */
    static final String SEEN = "seen ";

    /** Orders: the commands. */
    static final String AUDIT = "audit";

    static final String SETTLE = "settle";
    static final String RECOVER = "recover";
    static final String TOOL = "tool";

    // The commands tell here how they end. Held, because the log manager holds loggers weakly.
    private static final Logger COMMANDS = Logger.getLogger("io.tallystick.narayana");

    // The thread of RecoverNode that scans.
    private static final String SCAN = "tallystick-drain-recovery";

    // In the directory of a history.
    private static final String SETTINGS = "log.properties";

    private static final int SCANS = 3;
    private static final int FAILED = 99;

    private final int port;
    private final String answerFile;

    private Worker(int port, String answerFile) {
        this.port = port;
        this.answerFile = answerFile;
    }

    /**
     * Obeys orders from standard input, each a line of parts with tabs between them: directory, order, arguments.
     *
     * @param arguments the port of the server of both databases, or 0 if the resources are ledgers; the name of the
     *     file in the directory of a history that gets what a command prints
     */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err);
        LogLevels.silence();
        COMMANDS.setLevel(Level.INFO);
        Worker worker = new Worker(Integer.parseInt(arguments[0]), arguments[1]);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            List<String> parts = List.of(order.split("\t"));
            int status = worker.obey(Path.of(parts.get(0)), parts.get(1), parts.subList(2, parts.size()));
            synchronized (out) {
                out.println(DONE + " " + status);
                out.flush();
            }
        }
        // Not halted: a class data archive is written at an orderly end.
        System.exit(0);
    }

    /** Writes the settings that name the log of a history, for the workers. */
    static void write(Map<String, String> settings, Path directory) throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        try (Writer file = Files.newBufferedWriter(directory.resolve(SETTINGS))) {
            properties.store(file, null);
        }
    }

    private static Properties settings(Path directory) throws IOException {
        Properties properties = new Properties();
        try (Reader file = Files.newBufferedReader(directory.resolve(SETTINGS))) {
            properties.load(file);
        }
        return properties;
    }

    private int obey(Path directory, String order, List<String> arguments) throws IOException {
        if (order.equals(DIE_AT)) {
            Mortality.OF_THIS_PROCESS.choose(arguments.get(0), Integer.parseInt(arguments.get(1)));
            return 0;
        }
        settings(directory).forEach((key, value) -> System.setProperty((String) key, (String) value));
        try (PrintStream answer =
                new PrintStream(Files.newOutputStream(directory.resolve(answerFile)), true, StandardCharsets.UTF_8)) {
            Handler told = new Told(answer);
            COMMANDS.addHandler(told);
            try {
                return obey(directory, order, arguments, answer);
            } catch (Exception | LinkageError failed) { // the stage judges it
                failed.printStackTrace(answer);
                return FAILED;
            } finally {
                COMMANDS.removeHandler(told);
            }
        } finally {
            Mortality.OF_THIS_PROCESS.choose("", 0);
            awaitScans();
            makeAnew();
        }
    }

    private int obey(Path directory, String order, List<String> arguments, PrintStream answer) throws Exception {
        String[] words = arguments.toArray(String[]::new);
        return switch (order) {
            case LIFE -> {
                life(directory, arguments);
                yield 0;
            }
            case RESTART -> restart(arguments, answer);
            case AUDIT -> run(AuditNode.class, answer, words);
            case SETTLE -> run(SettleBranch.class, answer, words);
            case RECOVER -> run(RecoverNode.class, null, words);
            case TOOL -> tool(answer, words);
            default -> throw new IllegalArgumentException(order);
        };
    }

    // The main methods end the process.
    private static int run(Class<?> command, PrintStream answer, String... words) throws Exception {
        boolean answers = answer != null;
        Method run = answers
                ? command.getDeclaredMethod("run", PrintStream.class, String[].class)
                : command.getDeclaredMethod("run", String[].class);
        run.setAccessible(true);
        return (Integer) (answers ? run.invoke(null, answer, words) : run.invoke(null, (Object) words));
    }

    private static int tool(PrintStream answer, String... words) throws Exception {
        Method run = Main.class.getDeclaredMethod("run", String[].class, OutputStream.class, PrintWriter.class);
        run.setAccessible(true);
        try (PrintWriter errors = new PrintWriter(answer, true, StandardCharsets.UTF_8)) {
            return (Integer) run.invoke(null, words, answer, errors);
        }
    }

    private void life(Path directory, List<String> arguments) throws Exception {
        List<AutoCloseable> connections = new ArrayList<>();
        ResourceManagers.Participants participants = port == 0
                ? (name, label) -> new ResourceManagers.Participant(
                        new LedgerResource(
                                directory.resolve(SettleStage.RESOURCES).resolve(name), label, step -> {}),
                        () -> null)
                : (name, label) -> DatabaseManagers.participant(port, name, label, connections);
        List<String> names = port == 0 ? Ledgers.NAMES : TwoDatabases.NAMES;
        try {
            new NodeLife(directory, names, participants, Mortality.OF_THIS_PROCESS::step)
                    .run(arguments.stream().map(Plan::parse).toList());
        } finally {
            for (AutoCloseable connection : connections) {
                connection.close();
            }
        }
    }

    /** Starts the node, has it recover, and prints what it says is in doubt then. */
    private static int restart(List<String> arguments, PrintStream answer) throws Exception {
        List<XAResource> resources = new ArrayList<>();
        for (Resources.Source source : Resources.of(
                        Arguments.of(arguments.toArray(String[]::new)).helpers())
                .sources()) {
            resources.addAll(source.resources());
        }
        try (NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment())) {
            RecoveringNarayana recovery = new RecoveringNarayana(resources);
            for (int i = 0; i < SCANS; i++) {
                recovery.scan();
            }
            RecoveryManager.manager().terminate();
            stores.inDoubt()
                    .lookNow()
                    .orElseThrow()
                    .transactions()
                    .forEach(each -> answer.println(SEEN + each.logged().key().id()));
            return stores.store().failure().isEmpty() ? 0 : FAILED;
        }
    }

    /** Adds what a command logs to what it prints. */
    private static final class Told extends Handler {
        private final PrintStream answer;

        Told(PrintStream answer) {
            this.answer = answer;
        }

        @Override
        public void publish(LogRecord line) {
            answer.println(line.getMessage());
        }

        @Override
        public void flush() {
            answer.flush();
        }

        @Override
        public void close() {
            // the answer is closed by its owner
        }
    }

    /** Returns when the last command, whose time may be over, scans no more: its process would have ended. */
    private static void awaitScans() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(SCAN)) {
                try {
                    thread.join();
                } catch (InterruptedException nobodyDoes) {
                    throw new IllegalStateException(nobodyDoes);
                }
            }
        }
    }

    /** Makes Narayana forget that it has recovered a node in this process. */
    private static void makeAnew() {
        try {
            Field manager = RecoveryManager.class.getDeclaredField("_recoveryManager");
            manager.setAccessible(true);
            manager.set(null, null);
        } catch (ReflectiveOperationException renamed) {
            throw new IllegalStateException(renamed);
        }
        // What a scan beyond its time has asked for would be a store of Narayana's own.
        StoreManager.shutdown();
        TxControl.enable();
        // Their instances hold filters and helpers of the last command; the next one makes them of the names.
        RecoveryEnvironmentBean recovery = recoveryPropertyManager.getRecoveryEnvironmentBean();
        List<String> modules = List.copyOf(recovery.getRecoveryModuleClassNames());
        recovery.setRecoveryModuleClassNames(null);
        recovery.setRecoveryModuleClassNames(modules);
        List<String> scanners = List.copyOf(recovery.getExpiryScannerClassNames());
        recovery.setExpiryScannerClassNames(null);
        recovery.setExpiryScannerClassNames(scanners);
        JTAEnvironmentBean bean = jtaPropertyManager.getJTAEnvironmentBean();
        List<String> names = List.copyOf(bean.getXaResourceOrphanFilterClassNames());
        bean.setXaResourceOrphanFilterClassNames(null);
        bean.setXaResourceOrphanFilterClassNames(names);
    }
}
