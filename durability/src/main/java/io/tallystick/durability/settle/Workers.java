package io.tallystick.durability.settle;

import io.tallystick.durability.bytecode.CodeChange;
import io.tallystick.durability.ring.RingNames;
import io.tallystick.durability.ring.Teller;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;

/**
 * The two processes in which the commands of a history run. They are started when they are needed, and live on until
 * one is killed.
 */
final class Workers implements AutoCloseable {
    /** The answer of a command that was killed. */
    static final int KILLED = -1;

    private static final int COUNT = 2;
    private static final int PATIENCE_SECONDS = 100;

    // A planted class may come before the quick one: then RecoverNode halts its process half of this after its end.
    private static final String PATIENCE = "600s";
    private static final long MOST_AGE_OF_PLANTED_NANOS = TimeUnit.SECONDS.toNanos(230);

    // Each leaves its connections to the end of its process.
    private static final int MOST_ORDERS_ON_DATABASES = 12;

    // Narayana waits a second at least between the passes of a scan, and a history scans often. RecoverNode leaves a
    // thread that halts its process if that does not end, and these go on.
    private static final Map<String, String> QUICK = Map.of(
            "com/arjuna/ats/internal/arjuna/recovery/PeriodicRecovery", "doBackoffWait",
            "io/tallystick/narayana/RecoverNode$Adoption", "watchClosing");

    private final ConfiguredSubject configured;
    private final Path scratch;
    private final Optional<Path> plantedClasses;
    private final int port;
    private final Path quickClasses;
    private final List<String> options;
    private final Teller[] tellers = new Teller[COUNT];
    private final long[] startedNanos = new long[COUNT];
    private final int[] orders = new int[COUNT];

    /**
     * @param port of the server of both databases; 0 if the resources are ledgers
     * @param options for the virtual machine of the first process
     */
    Workers(ConfiguredSubject configured, Path scratch, Optional<Path> plantedClasses, int port, List<String> options)
            throws IOException {
        this.configured = configured;
        this.scratch = scratch;
        this.plantedClasses = plantedClasses;
        this.port = port;
        this.quickClasses = scratch.resolveSibling("quick.jar");
        this.options = options;
        if (!Files.exists(quickClasses)) {
            writeQuickClasses();
        }
    }

    /**
     * How a command is killed.
     *
     * @param step the step of a resource at which it ends; empty if it is killed after a time
     * @param occurrence of the step
     * @param millis the time; negative if it is not killed so
     */
    record Kill(String step, int occurrence, int millis) {
        static final Kill NEVER = new Kill("", 0, -1);

        static Kill at(String step, int occurrence) {
            return new Kill(step, occurrence, -1);
        }

        static Kill after(int millis) {
            return new Kill("", 0, millis);
        }

        boolean isNever() {
            return step.isEmpty() && millis < 0;
        }

        @Override
        public String toString() {
            return isNever() ? "" : step.isEmpty() ? "kill after " + millis + " ms: " : "kill at " + step + ": ";
        }
    }

    /**
     * The answer to an order.
     *
     * @param status that of the command, or {@link #KILLED}
     * @param text what it has printed
     */
    record Answer(int status, String text) {
        boolean isKilled() {
            return status == KILLED;
        }

        /** The ids of the records that a restarted node shows as in doubt. */
        Set<String> seen() {
            return text.lines()
                    .filter(line -> line.startsWith(Worker.SEEN))
                    .map(line -> line.substring(Worker.SEEN.length()))
                    .collect(Collectors.toSet());
        }
    }

    // A jar, and one for all: a class data archive is for one class path, which has no directory.
    private void writeQuickClasses() throws IOException {
        ClassLoader loader = Workers.class.getClassLoader();
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(quickClasses))) {
            for (Map.Entry<String, String> each : QUICK.entrySet()) {
                String name = each.getKey() + ".class";
                try (InputStream original = loader.getResourceAsStream(name)) {
                    jar.putNextEntry(new JarEntry(name));
                    jar.write(CodeChange.changed(
                            loader, original.readAllBytes(), each.getValue(), List.of(new CodeChange("return"))));
                }
            }
        }
    }

    /** Carries out one order. */
    Answer order(Path directory, Kill kill, List<String> words) throws IOException, InterruptedException {
        begin(0, directory, kill, words);
        return await(0, directory, kill);
    }

    /** Carries out two orders at once. */
    List<Answer> both(Path directory, List<String> first, List<String> second)
            throws IOException, InterruptedException {
        begin(0, directory, Kill.NEVER, first);
        begin(1, directory, Kill.NEVER, second);
        return List.of(await(0, directory, Kill.NEVER), await(1, directory, Kill.NEVER));
    }

    private void begin(int index, Path directory, Kill kill, List<String> words)
            throws IOException, InterruptedException {
        boolean isOld =
                plantedClasses.isPresent() && System.nanoTime() - startedNanos[index] > MOST_AGE_OF_PLANTED_NANOS
                        || port != 0 && orders[index] > MOST_ORDERS_ON_DATABASES;
        if (isOld) {
            end(index);
        }
        orders[index]++;
        if (tellers[index] == null) {
            tellers[index] = start(index);
            startedNanos[index] = System.nanoTime();
            orders[index] = 0;
        }
        if (!kill.step().isEmpty()) {
            tellers[index].hear(String.join(
                    "\t", directory.toString(), Worker.DIE_AT, kill.step(), String.valueOf(kill.occurrence())));
            tellers[index].next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        }
        tellers[index].hear(directory + "\t" + String.join("\t", words));
    }

    private Answer await(int index, Path directory, Kill kill) throws IOException, InterruptedException {
        long millis = kill.millis() >= 0 ? kill.millis() : TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS);
        Optional<String> said = tellers[index].next(millis);
        if (said.isEmpty() && kill.millis() < 0) {
            end(index);
            throw new AssertionError("I12 liveness violated: a command does not end within " + PATIENCE_SECONDS + " s");
        }
        if (said.isEmpty() || !said.get().startsWith(Worker.DONE)) {
            end(index);
            return new Answer(KILLED, "");
        }
        Path text = directory.resolve(answerFile(index));
        return new Answer(Integer.parseInt(Teller.rest(said.get())), Files.exists(text) ? Files.readString(text) : "");
    }

    private static String answerFile(int index) {
        return "answer-" + index;
    }

    private Teller start(int index) throws IOException {
        Map<String, String> properties = new LinkedHashMap<>(configured.properties(scratch.resolve("none")));
        properties.remove(StoreOption.DIRECTORY.key());
        properties.put(StoreOption.NODE_ID.key(), SettleStage.NODE);
        properties.put(StoreOption.PATIENCE.key(), PATIENCE);
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", RingNames.class.getName());
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        properties.put("CoordinatorEnvironmentBean.transactionStatusManagerEnable", "false");
        properties.put("CoreEnvironmentBean.nodeIdentifier", SettleStage.NODE);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", SettleStage.NODE);
        properties.put(
                "ObjectStoreEnvironmentBean.objectStoreDir",
                scratch.resolve("others").toString());
        ProcessBuilder command =
                SubjectProcess.command(Worker.class, properties, List.of(String.valueOf(port), answerFile(index)));
        SubjectProcess.putFirst(quickClasses, command);
        plantedClasses.ifPresent(classes -> SubjectProcess.putFirst(classes, command));
        if (index == 0) {
            command.command().addAll(1, options);
            // What the virtual machine warns of must not look like an answer.
            command.command().addAll(1, List.of("-Xlog:disable", "-Xlog:all=warning:stderr"));
        }
        Path log = scratch.resolve("workers.log");
        return new Teller(command.redirectError(Redirect.appendTo(log.toFile())).start());
    }

    /** Has both processes end by themselves. */
    void retire() throws IOException, InterruptedException {
        for (int i = 0; i < COUNT; i++) {
            if (tellers[i] != null) {
                tellers[i].hearNoMore();
                tellers[i].awaitEnd(PATIENCE_SECONDS);
            }
            end(i);
        }
    }

    /** Kills both processes: what they have in memory of a node is gone. */
    void end() throws InterruptedException {
        for (int i = 0; i < COUNT; i++) {
            end(i);
        }
    }

    private void end(int index) throws InterruptedException {
        if (tellers[index] != null) {
            tellers[index].kill();
            tellers[index] = null;
        }
    }

    @Override
    public void close() {
        for (int i = 0; i < COUNT; i++) {
            if (tellers[i] != null) {
                tellers[i].abandon();
                tellers[i] = null;
            }
        }
    }
}
