package io.tallystick.durability.delays;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;

class DelayWeaverTest {
    private static final List<String> WOVEN = List.of(
            "io.tallystick.store.log.commit.GroupCommit",
            "io.tallystick.store.journal.segment.SegmentRecovery",
            "io.tallystick.store.file.SyncRounds",
            "io.tallystick.storage.SystemDisk");

    /** Places between an object's creation and its constructor, in constructors and in handlers must verify too. */
    @Test
    void aClassThatPausesEverywhereIsSound() throws Exception {
        for (String name : WOVEN) {
            for (long seed = 1; seed <= 5; seed++) {
                byte[] woven = new DelayWeaver(seed, 1 + (int) seed).woven(bytes(name));
                assertThat(places(woven)).isGreaterThan(50);
                assertThat(Class.forName(name, true, loading(name, woven)).getClassLoader())
                        .isNotSameAs(getClass().getClassLoader());
            }
        }
    }

    @Test
    void theSeedDecidesThePlaces() throws IOException {
        byte[] original = bytes(WOVEN.get(0));
        byte[] woven = new DelayWeaver(7, 50).woven(original);

        assertThat(new DelayWeaver(7, 50).woven(original)).isEqualTo(woven);
        assertThat(new DelayWeaver(8, 50).woven(original)).isNotEqualTo(woven);
        assertThat(new DelayWeaver(7, Integer.MAX_VALUE).woven(original)).isSameAs(original);
    }

    @Test
    void aPauseTakesFromTenMicrosecondsToTwentyMilliseconds() {
        assertThat(DelayPoint.nanos(0)).isEqualTo(10_000);
        assertThat(DelayPoint.nanos(0.5)).isBetween(440_000L, 450_000L);
        assertThat(DelayPoint.nanos(1)).isBetween(19_999_999L, 20_000_000L);
    }

    @Test
    void aPlaceInALoopDoesNotBringTheStoreToAHalt() {
        assertThat(expectedPauses(2_000)).isBetween(70.0, 80.0);
        assertThat(expectedPauses(100_000)).isBetween(300.0, 350.0);
        assertThat(expectedPauses(10_000_000)).isLessThan(700);
    }

    private static double expectedPauses(int passes) {
        return IntStream.range(0, passes)
                .mapToDouble(each -> 1.0 / DelayPoint.oneIn(each))
                .sum();
    }

    @Test
    void aPauseTakesNoWakeUpAndNoInterrupt() {
        LockSupport.unpark(Thread.currentThread());
        Thread.currentThread().interrupt();
        long before = DelayPoint.pauses();
        while (DelayPoint.pauses() < before + 20) {
            DelayPoint.pass(1);
        }

        assertThat(Thread.interrupted()).isTrue();
        long began = System.nanoTime();
        LockSupport.parkNanos(20_000_000_000L);
        assertThat(System.nanoTime() - began).as("the wake-up was still there").isLessThan(10_000_000_000L);
    }

    private static long places(byte[] woven) {
        ClassNode node = new ClassNode();
        new ClassReader(woven).accept(node, 0);
        return node.methods.stream()
                .flatMap(method -> Arrays.stream(method.instructions.toArray()))
                .filter(each -> each instanceof MethodInsnNode call && call.owner.endsWith("/DelayPoint"))
                .count();
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream file = DelayWeaverTest.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return file.readAllBytes();
        }
    }

    /** The classes of the package once more, one of them woven. */
    private static ClassLoader loading(String woven, byte[] bytes) {
        String ofPackage = woven.substring(0, woven.lastIndexOf('.') + 1);
        return new ClassLoader(DelayWeaverTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                synchronized (getClassLoadingLock(name)) {
                    if (!name.startsWith(ofPackage)) {
                        return super.loadClass(name, resolve);
                    }
                    Class<?> loaded = findLoadedClass(name);
                    if (loaded != null) {
                        return loaded;
                    }
                    try {
                        byte[] file = name.equals(woven) ? bytes : bytes(name);
                        return defineClass(name, file, 0, file.length);
                    } catch (IOException unreadable) {
                        throw new ClassNotFoundException(name, unreadable);
                    }
                }
            }
        };
    }
}
