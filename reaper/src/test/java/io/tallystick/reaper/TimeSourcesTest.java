package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A step of the wall clock has no effect, because nothing in the reaper asks it, and only {@link SystemReaperClock}
 * and the log ask any clock or wait for a time. Every other test moves time by hand through {@link ReaperClock}.
 */
class TimeSourcesTest {
    private static final Set<String> WALL_CLOCK_CLASSES = Set.of(
            "java/time/Instant",
            "java/time/Clock",
            "java/time/LocalDateTime",
            "java/time/ZonedDateTime",
            "java/time/OffsetDateTime",
            "java/util/Date",
            "java/util/Calendar",
            "java/util/Timer");
    private static final Set<String> WALL_CLOCK_METHODS =
            Set.of("currentTimeMillis", "parkUntil", "awaitUntil"); // parkUntil of LockSupport: see isOurs
    private static final Set<String> QUEUES =
            Set.of("java/util/ArrayDeque", "java/util/Deque", "java/util/concurrent/ConcurrentLinkedQueue");
    private static final Set<String> OTHER_TIMES =
            Set.of("nanoTime", "parkNanos", "awaitNanos", "sleep", "tryAcquire", "tryLock", "poll", "wait");

    @Test
    void nothingAsksTheWallClock() throws IOException {
        assertThat(classes()).hasSizeGreaterThan(15).allSatisfy(code -> assertThat(
                        calls(code, TimeSourcesTest::isWallClock))
                .isEmpty());
    }

    @Test
    void onlyTheSystemClockAndTheLogAskAnyClockOrWaitForATime() throws IOException {
        assertThat(classes())
                .filteredOn(code -> !calls(code, TimeSourcesTest::isOtherTime).isEmpty())
                .extracting(path -> path.getFileName().toString())
                .containsExactlyInAnyOrder(
                        "SystemReaperClock.class",
                        "ReaperLog.class", // a logger that is stuck is stuck in the machine's time
                        "ReaperLog$Writing.class",
                        "SureLock.class"); // tryLock without a time
    }

    @Test
    void theScanFindsWhatItLooksFor() throws IOException {
        try (InputStream code = AsksTheWallClock.class.getResourceAsStream("TimeSourcesTest$AsksTheWallClock.class")) {
            assertThat(calls(new ClassReader(code), TimeSourcesTest::isWallClock))
                    .containsExactly(
                            "java/lang/System.currentTimeMillis", "java/util/concurrent/locks/LockSupport.parkUntil");
        }
    }

    private static List<Path> classes() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("target/classes"))) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        }
    }

    private static boolean isWallClock(String owner, String method) {
        return !isOurs(owner) && (WALL_CLOCK_CLASSES.contains(owner) || WALL_CLOCK_METHODS.contains(method));
    }

    private static boolean isOtherTime(String owner, String method) {
        boolean isQueue = QUEUES.contains(owner);
        return !isOurs(owner) && !isQueue && OTHER_TIMES.contains(method);
    }

    private static boolean isOurs(String owner) {
        return owner.startsWith("io/tallystick/");
    }

    private static List<String> calls(Path code, Condition condition) {
        try {
            return calls(new ClassReader(Files.readAllBytes(code)), condition);
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }

    private static List<String> calls(ClassReader code, Condition condition) {
        List<String> calls = new ArrayList<>();
        ClassVisitor methods = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] exceptions) {
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitMethodInsn(
                            int opcode, String owner, String method, String type, boolean isInterface) {
                        if (condition.holds(owner, method)) {
                            calls.add(owner + "." + method);
                        }
                    }
                };
            }
        };
        code.accept(methods, 0);
        return calls;
    }

    /** Of a method that is called. */
    private interface Condition {
        boolean holds(String owner, String method);
    }

    /** What must not be. */
    private static final class AsksTheWallClock {
        private AsksTheWallClock() {}

        static void wait(int millis) {
            LockSupport.parkUntil(System.currentTimeMillis() + millis);
        }
    }
}
