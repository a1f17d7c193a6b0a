package io.tallystick.store.journal.passages;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.journal.JournalStores;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads the journal's classes a second time, and lets a test run something of its own where a method returns or calls
 * another one: {@code "SegmentPool.durable returns"}, {@code "SegmentPool.start calls start"}. What the test runs may
 * wait, or throw.
 */
public final class PassageLoader extends ClassLoader implements AutoCloseable {
    private static final String JOURNAL = "io.tallystick.store.journal.";
    private static final String LOG = "io.tallystick.store.log.";
    private static final String NOT_AGAIN = PassageLoader.class.getPackageName() + ".";
    private static final String PASSAGES = Passages.class.getName().replace('.', '/');
    private static final int ASM = Opcodes.ASM9;

    private final Map<String, Runnable> actions;
    private final Set<String> found = new HashSet<>();

    /** A loader that knows these places, and what happens there. */
    public PassageLoader(Map<String, Runnable> actions) {
        super(PassageLoader.class.getClassLoader());
        this.actions = new HashMap<>(actions);
        actions.forEach(Passages::set);
    }

    /** Opens a journal of the classes that this loader has loaded. */
    public ObjectStore open(StoreConfiguration.Builder configuration, Disk disk) {
        return open("open", configuration, disk);
    }

    /** The same for {@link JournalStores#openSleeping}. */
    public ObjectStore openSleeping(StoreConfiguration.Builder configuration, Disk disk) {
        return open("openSleeping", configuration, disk);
    }

    private ObjectStore open(String method, StoreConfiguration.Builder configuration, Disk disk) {
        try {
            return (ObjectStore) loadClass(JournalStores.class.getName())
                    .getMethod(method, StoreConfiguration.Builder.class, Disk.class)
                    .invoke(null, configuration, disk);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            if (thrown.getCause() instanceof Error error) {
                throw error;
            }
            throw new AssertionError(thrown);
        } catch (ReflectiveOperationException broken) {
            throw new AssertionError(broken);
        }
    }

    /** Nothing happens any more at those places. Fails if one of them is not in the classes that were loaded. */
    @Override
    public void close() {
        Passages.clear(actions.keySet());
        synchronized (found) {
            if (!found.containsAll(actions.keySet())) {
                throw new AssertionError("of the places " + actions.keySet() + " only these are there: " + found);
            }
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!(name.startsWith(JOURNAL) || name.startsWith(LOG)) || name.startsWith(NOT_AGAIN)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream code = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (code == null) {
                throw new ClassNotFoundException(name);
            }
            ClassReader reader = new ClassReader(code);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Marks(writer, name.substring(name.lastIndexOf('.') + 1)), 0);
            byte[] marked = writer.toByteArray();
            return defineClass(name, marked, 0, marked.length);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private final class Marks extends ClassVisitor {
        private final String className;

        Marks(ClassVisitor next, String className) {
            super(ASM, next);
            this.className = className;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            return new MethodMarks(next, className + "." + name);
        }
    }

    private final class MethodMarks extends MethodVisitor {
        private final String method;

        MethodMarks(MethodVisitor next, String method) {
            super(ASM, next);
            this.method = method;
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                mark(method + " returns");
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            mark(method + " calls " + name);
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }

        private void mark(String place) {
            if (actions.containsKey(place)) {
                synchronized (found) {
                    found.add(place);
                }
                visitLdcInsn(place);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, PASSAGES, "at", "(Ljava/lang/String;)V", false);
            }
        }
    }
}
