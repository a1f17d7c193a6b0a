package io.tallystick.durability.delays;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Makes the threads of a process pause at random places of our stores' code: {@code -javaagent:JAR=SEED}. Where threads
 * seldom meet, one of them stands still while the others go on, and the process is killed in states that it has for
 * nanoseconds otherwise. A third of the seeds has few places and a third many, because a thread that pauses everywhere
 * meets the others where it always does.
 */
public final class DelayAgent implements ClassFileTransformer {
    private static final String[] OURS = {"io/tallystick/store/", "io/tallystick/storage/"};
    private static final int[] ONE_IN = {50, 250, 1_000};
    private static final int STATUS_UNFIT = 3;

    private final DelayWeaver weaver;

    private DelayAgent(long seed) {
        this.weaver = new DelayWeaver(seed, ONE_IN[Math.floorMod(seed, ONE_IN.length)]);
    }

    /** Begins; called by the virtual machine before the main class. */
    public static void premain(String seed, Instrumentation instrumentation) {
        long number = Long.parseLong(seed);
        DelayPoint.seed(number);
        instrumentation.addTransformer(new DelayAgent(number));
    }

    /** The option of a virtual machine that runs this agent, whose class is on its class path. */
    public static String option(Path jar, long seed) {
        return "-javaagent:" + jar + "=" + seed;
    }

    /** Writes the jar that names this agent. */
    public static void writeJar(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Premain-Class"), DelayAgent.class.getName());
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String className, Class<?> redefined, ProtectionDomain domain, byte[] original) {
        if (className == null || !isOurs(className)) {
            return null;
        }
        try {
            return weaver.woven(original);
        } catch (RuntimeException | Error unfit) {
            // The virtual machine would go on with a class that never pauses, and the stage would prove nothing.
            Runtime.getRuntime().halt(STATUS_UNFIT);
            throw unfit;
        }
    }

    private static boolean isOurs(String className) {
        for (String prefix : OURS) {
            if (className.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
