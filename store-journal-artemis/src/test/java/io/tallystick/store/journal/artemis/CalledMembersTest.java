package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The list of what this engine calls is what its classes call. */
class CalledMembersTest {
    private static final List<String> OF_THE_LIBRARY = List.of("org/apache/activemq/", "io/netty/");

    @Test
    void theListIsWhatTheClassesCall() throws Exception {
        assertThat(ArtemisLibrary.CalledMembers.NAMES).containsExactlyElementsOf(called());
    }

    /** The list of classes that Artemis calls is complete too. */
    @Test
    void theClassesThatArtemisCallsAreListed() throws Exception {
        SortedSet<String> implementing = new TreeSet<>();
        for (Path file : classes()) {
            try (InputStream content = Files.newInputStream(file)) {
                ClassReader type = new ClassReader(content);
                boolean isCalled = Stream.concat(Stream.of(type.getInterfaces()), Stream.of(type.getSuperName()))
                        .anyMatch(CalledMembersTest::isOfTheLibrary);
                if (isCalled) {
                    implementing.add(
                            type.getClassName().substring(type.getClassName().lastIndexOf('/') + 1));
                }
            }
        }
        assertThat(ArtemisLibrary.CalledMembers.CALLED_BY_ARTEMIS).containsExactlyElementsOf(implementing);
    }

    @Test
    void theLibraryOfThisBuildFits() {
        assertThat(ArtemisLibrary.CalledMembers.firstMissing(CalledMembersTest.class.getClassLoader()))
                .isEmpty();
    }

    private static SortedSet<String> called() throws IOException, URISyntaxException {
        SortedSet<String> called = new TreeSet<>();
        for (Path file : classes()) {
            try (InputStream content = Files.newInputStream(file)) {
                new ClassReader(content).accept(new Calls(called), ClassReader.SKIP_DEBUG);
            }
        }
        return called;
    }

    private static List<Path> classes() throws IOException, URISyntaxException {
        Path root = Path.of(ArtemisEngine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        }
    }

    private static boolean isOfTheLibrary(String type) {
        return OF_THE_LIBRARY.stream().anyMatch(type::startsWith);
    }

    /** Collects the members of the library that a class names. */
    private static final class Calls extends ClassVisitor {
        private final SortedSet<String> called;

        Calls(SortedSet<String> called) {
            super(Opcodes.ASM9);
            this.called = called;
        }

        private void add(String owner, String name, String descriptor) {
            if (isOfTheLibrary(owner)) {
                called.add(owner + "." + name + ":" + descriptor);
            }
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String called, String calledDescriptor, boolean isInterface) {
                    add(owner, called, calledDescriptor);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String fieldDescriptor) {
                    add(owner, field, fieldDescriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        String made, String madeDescriptor, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            add(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }
            };
        }
    }
}
