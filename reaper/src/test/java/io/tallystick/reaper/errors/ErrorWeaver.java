package io.tallystick.reaper.errors;

import io.tallystick.reaper.ReloadingLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads the reaper's classes, and its test classes, a second time. In those of {@code src/main} it calls {@link
 * ErrorPlan#reach} before each allocation, each call that allocates, each start of a thread and each line of the log.
 */
final class ErrorWeaver extends ReloadingLoader {
    private static final String OURS = REAPER.replace('.', '/');
    private static final Path MAIN_CLASSES = Path.of("target/classes");
    private static final String PLAN = ErrorPlan.class.getName().replace('.', '/');
    private static final int ASM = Opcodes.ASM9;

    /** Methods of the JDK that allocate, in the classes that the reaper uses. */
    private static final Set<String> ALLOCATING = Set.of(
            "valueOf",
            "of",
            "ofNanos",
            "ofNullable",
            "copyOf",
            "getStackTrace",
            "append",
            "toString",
            "add",
            "newThread",
            "getLogger");

    private static final Set<String> NAMES_OF_STARTS_AND_LINES = Set.of("start", "log");

    ErrorWeaver() {
        super(ErrorPlan.class);
    }

    /** All places of the reaper's own classes. */
    static Set<String> sites() throws IOException {
        Set<String> sites = new TreeSet<>();
        try (Stream<Path> files = Files.walk(MAIN_CLASSES)) {
            for (Path file : (Iterable<Path>) files.filter(ErrorWeaver::isClass)::iterator) {
                new ClassReader(Files.readAllBytes(file)).accept(new Weaving(new ClassWriter(0), sites), 0);
            }
        }
        return sites;
    }

    private static boolean isClass(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".class") && !name.contains("-info");
    }

    @Override
    protected byte[] code(ClassReader original) {
        ClassWriter writer = new ClassWriter(original, ClassWriter.COMPUTE_MAXS);
        boolean isOfMain = Files.exists(MAIN_CLASSES.resolve(original.getClassName() + ".class"));
        original.accept(isOfMain ? new Weaving(writer, new TreeSet<>()) : writer, 0);
        return writer.toByteArray();
    }

    private static final class Weaving extends ClassVisitor {
        private final Set<String> sites;
        private String className;

        Weaving(ClassVisitor next, Set<String> sites) {
            super(ASM, next);
            this.sites = sites;
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String superName, String[] interfaces) {
            className = name.substring(REAPER.length());
            super.visit(version, access, name, signature, superName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            return new Sites(next, className + "." + name, sites);
        }
    }

    private static final class Sites extends MethodVisitor {
        private final String method;
        private final Set<String> sites;
        private int number;

        Sites(MethodVisitor next, String method, Set<String> sites) {
            super(ASM, next);
            this.method = method;
            this.sites = sites;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, type);
            // Behind it: the frames of the class file name the place of the instruction.
            if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
                site("new " + type.substring(type.lastIndexOf('/') + 1));
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            if (opcode == Opcodes.NEWARRAY) {
                site("new array");
            }
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            site("dynamic " + name);
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean allocates = ALLOCATING.contains(name) && !owner.startsWith(OURS);
            boolean isStartOrLine = NAMES_OF_STARTS_AND_LINES.contains(name)
                    && List.of("java/lang/Thread", "java/lang/System$Logger").contains(owner);
            if (allocates || isStartOrLine) {
                site(owner.substring(owner.lastIndexOf('/') + 1) + "." + name);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }

        private void site(String what) {
            number++;
            String site = method + " " + number + ": " + what;
            sites.add(site);
            visitLdcInsn(site);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, PLAN, "reach", "(Ljava/lang/String;)V", false);
        }
    }
}
