package io.tallystick.reaper.schedules;

import io.tallystick.reaper.ReloadingLoader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads the reaper's classes, and the scenarios, a second time: with a {@link Turns#step} before each shared access.
 */
final class InstrumentingLoader extends ReloadingLoader {
    private static final String OURS = REAPER.replace('.', '/');
    private static final String TURNS = Turns.class.getName().replace('.', '/');
    private static final int ASM = Opcodes.ASM9;

    /** By internal name of their class. */
    private final Map<String, Set<String>> finalFields = new HashMap<>();

    InstrumentingLoader() {
        super(Schedules.class);
    }

    @Override
    protected byte[] code(ClassReader original) {
        ClassWriter writer = new ClassWriter(original, ClassWriter.COMPUTE_MAXS);
        String name = original.getClassName().replace('/', '.');
        original.accept(new Instrumentation(writer, name.substring(REAPER.length())), 0);
        return writer.toByteArray();
    }

    private boolean isFinal(String owner, String field) {
        return finalFields.computeIfAbsent(owner, this::finalFieldsOf).contains(field);
    }

    private Set<String> finalFieldsOf(String owner) {
        Set<String> names = new HashSet<>();
        read(owner)
                .accept(
                        new ClassVisitor(ASM) {
                            @Override
                            public FieldVisitor visitField(
                                    int access, String name, String type, String signature, Object value) {
                                if ((access & Opcodes.ACC_FINAL) != 0) {
                                    names.add(name);
                                }
                                return null;
                            }
                        },
                        ClassReader.SKIP_CODE);
        return names;
    }

    private final class Instrumentation extends ClassVisitor {
        private final String className;

        Instrumentation(ClassVisitor next, String className) {
            super(ASM, next);
            this.className = className;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            // What is being made is not shared yet.
            return name.startsWith("<") ? next : new Steps(next, className + "." + name);
        }
    }

    private final class Steps extends MethodVisitor {
        private final String method;

        Steps(MethodVisitor next, String method) {
            super(ASM, next);
            this.method = method;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (owner.startsWith(OURS) && !isFinal(owner, name)) {
                boolean reads = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
                step((reads ? "reads " : "writes ") + name);
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean isAtomic =
                    owner.startsWith("java/util/concurrent/atomic/") || owner.equals("java/lang/invoke/VarHandle");
            if (isAtomic && !name.startsWith("<")) {
                step(name);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }

        private void step(String what) {
            visitLdcInsn(method + " " + what);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, TURNS, "step", "(Ljava/lang/String;)V", false);
        }
    }
}
