package io.tallystick.durability.bytecode;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;

/**
 * Rewrites a class so that a {@link io.tallystick.testkit.schedule.Schedule} sees the shared state of its threads.
 *
 * <ul>
 *   <li>Each access of a volatile field becomes a point where another thread may go on. So does each call of an atomic,
 *       a {@code VarHandle} or a concurrent collection.
 *   <li>So does each write of a plain field after its object was made. A thread may stop before it, when it has
 *       published too early what the field belongs to.
 *   <li>Locks, conditions, parking, threads, monitors and {@code System.nanoTime} are replaced by the schedule's own.
 *       So are thread ids and the number of processors, which would differ from run to run.
 *   <li>A function under a lock of a {@code ConcurrentHashMap} runs in one step, and so does a static initializer. The
 *       schedule does not see these locks.
 * </ul>
 *
 * <p>A class that waits, or lets other threads wait, in another way is refused; the message names the class and the
 * type that it uses. Reads of plain fields are not points. Threads see the writes of others at once, and in order:
 * what a processor may do beyond that is not explored.
 */
public final class ScheduleRewriter {
    private static final String SCHEDULING = "io/tallystick/testkit/schedule/";
    private static final String SCHEDULE = SCHEDULING + "Schedule";
    private static final String MAPS = SCHEDULING + "ScheduledMaps";
    private static final String MONITOR = SCHEDULING + "Monitor";
    private static final String SCHEDULED_THREAD = SCHEDULING + "ScheduledThread";
    private static final String THREAD = "java/lang/Thread";
    private static final String ON_AN_OBJECT = "(Ljava/lang/Object;)V";
    private static final String AT_A_SITE = "(Ljava/lang/String;)V";
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String LOCKS = CONCURRENT + "locks/";
    private static final String CONDITION = LOCKS + "Condition";
    private static final String MAP = CONCURRENT + "ConcurrentHashMap";
    private static final String FUTURE = CONCURRENT + "CompletableFuture";
    private static final String NO_ARGUMENTS = "()V";

    private static final Map<String, String> NAMESAKES = Map.of(
            CONDITION,
            SCHEDULING + "Condition",
            LOCKS + "LockSupport",
            SCHEDULING + "LockSupport",
            LOCKS + "ReentrantLock",
            SCHEDULING + "ReentrantLock");

    private static final Set<String> UNDER_A_LOCK_OF_THE_MAP =
            Set.of("compute", "computeIfAbsent", "computeIfPresent", "merge");

    private static final Set<String> COLLECTIONS = Set.of(
            MAP,
            CONCURRENT + "ConcurrentLinkedDeque",
            CONCURRENT + "ConcurrentLinkedQueue",
            CONCURRENT + "ConcurrentSkipListMap",
            CONCURRENT + "CopyOnWriteArrayList");

    /** The methods of a blocking queue that do not wait. */
    private static final Set<String> OF_QUEUES =
            Set.of("<init>", "add", "clear", "isEmpty", "peek", "remainingCapacity", "remove", "size");

    private static final Set<String> NEVER_WAITING = Set.of(
            CONCURRENT + "Callable",
            CONCURRENT + "CancellationException",
            CONCURRENT + "CompletionException",
            CONCURRENT + "CompletionStage",
            CONCURRENT + "ExecutionException",
            CONCURRENT + "Executor",
            CONCURRENT + "ThreadFactory",
            CONCURRENT + "ThreadLocalRandom",
            CONCURRENT + "TimeUnit");

    private static final Set<String> OF_THREADS = Set.of(
            "<init>",
            "currentThread",
            "getContextClassLoader",
            "getName",
            "getStackTrace",
            "interrupt",
            "interrupted",
            "isDaemon",
            "isInterrupted",
            "setContextClassLoader",
            "setDaemon",
            "setName",
            "start");

    private final ClassFiles files;
    private final List<String> packages;
    private final Map<String, Set<String>> unseen;

    /**
     * A rewriter of these classes.
     *
     * @param source finds the class files
     * @param packages prefixes of class names; the rewriter looks up volatile fields and threads of these classes
     * @param unseen for each class, the simple names of types that it may use although the schedule does not see them
     */
    public ScheduleRewriter(ClassLoader source, List<String> packages, Map<String, Set<String>> unseen) {
        this.files = new ClassFiles(source);
        this.packages = packages.stream().map(each -> each.replace('.', '/')).toList();
        this.unseen = Map.copyOf(unseen);
    }

    /**
     * The class under the schedule.
     *
     * @throws IllegalStateException it uses a type that the schedule cannot see
     */
    public byte[] rewritten(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(0);
        reader.accept(new SharedStates(new ClassRemapper(writer, new SimpleRemapper(Opcodes.ASM9, NAMESAKES))), 0);
        return writer.toByteArray();
    }

    private boolean isOurs(String type) {
        return packages.stream().anyMatch(type::startsWith);
    }

    private boolean isThread(String type) {
        return type.equals(THREAD) || isOurs(type) && files.isSubclass(type, THREAD);
    }

    /** Visits the class. */
    private final class SharedStates extends ClassVisitor {
        private String name;
        private boolean runsAsThread;

        SharedStates(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visit(
                int version, int access, String className, String signature, String superName, String[] interfaces) {
            name = className;
            runsAsThread = isThread(superName);
            String writtenSuperName = THREAD.equals(superName) ? SCHEDULED_THREAD : superName;
            super.visit(version, access, className, signature, writtenSuperName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] exceptions) {
            String written = method;
            if (runsAsThread && method.equals("run") && descriptor.equals(NO_ARGUMENTS)) {
                written = "body"; // the scheduled thread runs it when its turn has come
            }
            boolean hasMonitor = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            if (hasMonitor) {
                written = method + "$inMonitor";
                writeEntry(access & ~Opcodes.ACC_SYNCHRONIZED, method, written, descriptor, exceptions);
            }
            MethodVisitor next =
                    super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, written, descriptor, signature, exceptions);
            return new SharedAccesses(name, method, descriptor, next);
        }

        /** Writes the method of the old name. It holds the monitor while it calls the method with the code. */
        private void writeEntry(int access, String method, String inMonitor, String descriptor, String[] exceptions) {
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            MethodVisitor entry = super.visitMethod(access, method, descriptor, null, exceptions);
            Label begin = new Label();
            Label end = new Label();
            entry.visitCode();
            entry.visitTryCatchBlock(begin, end, end, null);
            pushMonitor(entry, isStatic);
            call(entry, MONITOR, "enter", ON_AN_OBJECT);
            entry.visitLabel(begin);
            int local = 0;
            if (!isStatic) {
                entry.visitVarInsn(Opcodes.ALOAD, local++);
            }
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                entry.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                local += argument.getSize();
            }
            int opcode = isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKEVIRTUAL;
            entry.visitMethodInsn(opcode, name, inMonitor, descriptor, false);
            pushMonitor(entry, isStatic);
            call(entry, MONITOR, "exit", ON_AN_OBJECT);
            entry.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
            entry.visitLabel(end);
            entry.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {"java/lang/Throwable"});
            pushMonitor(entry, isStatic);
            call(entry, MONITOR, "exit", ON_AN_OBJECT);
            entry.visitInsn(Opcodes.ATHROW);
            entry.visitMaxs(local + 3, local);
            entry.visitEnd();
        }

        private void pushMonitor(MethodVisitor entry, boolean isStatic) {
            if (isStatic) {
                entry.visitLdcInsn(Type.getObjectType(name));
            } else {
                entry.visitVarInsn(Opcodes.ALOAD, 0);
            }
        }
    }

    private static void call(MethodVisitor code, String owner, String method, String descriptor) {
        code.visitMethodInsn(Opcodes.INVOKESTATIC, owner, method, descriptor, false);
    }

    /** Visits the code of one method. */
    private final class SharedAccesses extends MethodVisitor {
        private final String className;
        private final String place;
        private final boolean isInitializer;
        private final boolean isMaking;
        private int sites;

        SharedAccesses(String className, String method, String descriptor, MethodVisitor next) {
            super(Opcodes.ASM9, next);
            this.className = className;
            this.place = className + "." + method + descriptor + " ";
            this.isInitializer = method.equals("<clinit>");
            this.isMaking = isInitializer || method.equals("<init>");
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitMaxs(maxStack + 1, maxLocals); // the name of a site
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (isInitializer) {
                call(mv, SCHEDULE, "beginAtomic", NO_ARGUMENTS);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (isInitializer && opcode == Opcodes.RETURN) {
                call(mv, SCHEDULE, "endAtomic", NO_ARGUMENTS);
            }
            switch (opcode) {
                case Opcodes.MONITORENTER -> {
                    site("at");
                    call(mv, MONITOR, "enter", ON_AN_OBJECT);
                }
                case Opcodes.MONITOREXIT -> {
                    site("at");
                    call(mv, MONITOR, "exit", ON_AN_OBJECT);
                }
                default -> super.visitInsn(opcode);
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            boolean isWrite = opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC;
            if (isOurs(owner) && (isWrite && !isMaking || files.isVolatile(owner, field))) {
                point();
            }
            super.visitFieldInsn(opcode, owner, field, descriptor);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            boolean isNewThread = opcode == Opcodes.NEW && type.equals(THREAD);
            super.visitTypeInsn(opcode, isNewThread ? SCHEDULED_THREAD : type);
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Handle handle && isShared(handle)) {
                    throw unknown("a reference to the method " + handle.getOwner() + "." + handle.getName());
                }
            }
            super.visitInvokeDynamicInsn(method, descriptor, bootstrap, arguments);
        }

        private boolean isShared(Handle handle) {
            String owner = handle.getOwner();
            if (handle.getTag() == Opcodes.H_INVOKESTATIC && NAMESAKES.containsKey(owner)) {
                checkNamesakeHas(owner, handle.getName(), handle.getDesc());
                return false; // the class of that name is replaced in handles too
            }
            return owner.startsWith(CONCURRENT) && !NEVER_WAITING.contains(owner) || owner.equals(THREAD);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean isInterface) {
            if (isThread(owner) && !isOwnMethod(owner, method, descriptor)) {
                visitThreadMethod(opcode, owner, method, descriptor);
            } else if (owner.equals("java/lang/System") && method.equals("nanoTime")) {
                call(mv, SCHEDULE, "nanoTime", "()J");
            } else if (owner.equals("java/lang/Runtime") && method.equals("availableProcessors")) {
                call(mv, SCHEDULE, method, "(Ljava/lang/Runtime;)I");
            } else if (owner.equals("java/lang/invoke/VarHandle")) {
                if (!descriptor.startsWith("([")) { // an element of an array is nothing that threads share here
                    point();
                }
                super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
            } else if (isMonitorMethod(method, descriptor)) {
                site("at");
                call(mv, MONITOR, method, descriptor.replace("(", "(Ljava/lang/Object;"));
            } else if (owner.startsWith(CONCURRENT)) {
                visitConcurrentMethod(opcode, owner, method, descriptor, isInterface);
            } else {
                super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
            }
        }

        private boolean isOwnMethod(String owner, String method, String descriptor) {
            return !owner.equals(THREAD)
                    && files.of(owner).methods.stream()
                            .anyMatch(own -> own.name.equals(method) && own.desc.equals(descriptor));
        }

        private boolean isMonitorMethod(String method, String descriptor) {
            boolean isNotify = method.equals("notify") || method.equals("notifyAll");
            boolean isWait = method.equals("wait");
            if (isWait && descriptor.equals("(JI)V")) {
                throw unknown("Object.wait with nanoseconds");
            }
            return (isNotify || isWait) && descriptor.equals(NO_ARGUMENTS) || isWait && descriptor.equals("(J)V");
        }

        private void visitThreadMethod(int opcode, String owner, String method, String descriptor) {
            String signature = method + descriptor;
            if (!method.equals("<init>")) {
                site("at");
            }
            if (opcode == Opcodes.INVOKESPECIAL && owner.equals(THREAD)) {
                super.visitMethodInsn(opcode, SCHEDULED_THREAD, method, descriptor, false);
                return;
            }
            switch (signature) {
                case "yield()V", "onSpinWait()V" -> call(mv, SCHEDULE, "giveWay", NO_ARGUMENTS);
                case "join()V" -> call(mv, SCHEDULE, "joinInterruptibly", "(Ljava/lang/Thread;)V");
                case "getId()J" -> call(mv, SCHEDULE, "idOf", "(Ljava/lang/Thread;)J");
                case "isAlive()Z" -> call(mv, SCHEDULE, "isAlive", "(Ljava/lang/Thread;)Z");
                case "sleep(J)V" -> call(mv, SCHEDULE, "sleepMillis", "(J)V");
                default -> {
                    if (!OF_THREADS.contains(method)) {
                        throw unknown("Thread." + signature);
                    }
                    super.visitMethodInsn(opcode, owner, method, descriptor, false);
                }
            }
        }

        private void visitConcurrentMethod(
                int opcode, String owner, String method, String descriptor, boolean isInterface) {
            if (NAMESAKES.containsKey(owner)) {
                checkNamesakeHas(owner, method, descriptor);
                if (!method.equals("<init>")) {
                    site("at");
                }
                int namesakeOpcode = opcode == Opcodes.INVOKEINTERFACE ? Opcodes.INVOKEVIRTUAL : opcode;
                super.visitMethodInsn(namesakeOpcode, owner, method, descriptor, false);
                return;
            }
            if (owner.equals(MAP) && UNDER_A_LOCK_OF_THE_MAP.contains(method)) {
                site("at");
                call(mv, MAPS, method, descriptor.replace("(", "(L" + MAP + ";"));
                return;
            }
            boolean isMade = method.equals("<init>");
            boolean isUseOfQueue = owner.endsWith("BlockingQueue") && OF_QUEUES.contains(method);
            if (owner.startsWith(CONCURRENT + "atomic/") || COLLECTIONS.contains(owner) || isUseOfQueue) {
                if (!isMade) {
                    point();
                }
            } else if (owner.equals(FUTURE) && !method.equals("join") && !method.equals("get")) {
                point();
            } else if (!NEVER_WAITING.contains(owner) || method.equals("sleep")) {
                checkMayBeUnseen(owner, method);
            }
            super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
        }

        private void checkNamesakeHas(String owner, String method, String descriptor) {
            String remapped = new SimpleRemapper(Opcodes.ASM9, NAMESAKES).mapMethodDesc(descriptor);
            if (files.method(NAMESAKES.get(owner), method, remapped).isEmpty()) {
                throw unknown(owner + "." + method + descriptor);
            }
        }

        private void checkMayBeUnseen(String owner, String method) {
            String simpleName = owner.substring(owner.lastIndexOf('/') + 1);
            String outermost = className.replaceAll("\\$.*", "").replace('/', '.');
            if (!unseen.getOrDefault(outermost, Set.of()).contains(simpleName)) {
                throw unknown(owner + "." + method);
            }
        }

        private void point() {
            site("point");
        }

        private void site(String method) {
            super.visitLdcInsn(place + ++sites);
            call(mv, SCHEDULE, method, AT_A_SITE);
        }

        private IllegalStateException unknown(String primitive) {
            return new IllegalStateException("the schedules do not see the shared state of "
                    + className.replace('/', '.') + ": it uses " + primitive.replace('/', '.')
                    + ", which ScheduleRewriter does not know");
        }
    }
}
