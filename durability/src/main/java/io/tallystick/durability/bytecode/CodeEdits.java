package io.tallystick.durability.bytecode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** The effects of the words of {@link CodeChange} on the instructions of a class. */
final class CodeEdits {
    private static final int LONG_SIZE = 2;

    private final ClassFiles files;
    private final ClassNode type;

    CodeEdits(ClassFiles files, ClassNode type) {
        this.files = files;
        this.type = type;
    }

    void skip(CodeSite site) {
        MethodInsnNode call = call(site);
        Type result = Type.getReturnType(call.desc);
        if (result.getSize() > 0) {
            AbstractInsnNode next = call.getNext();
            if (next == null || next.getOpcode() != (result.getSize() == LONG_SIZE ? Opcodes.POP2 : Opcodes.POP)) {
                throw new IllegalArgumentException("its result is used; give a result with 'answer'");
            }
        }
        InsnList instead = dropOperands(call);
        if (result.getSize() > 0) {
            instead.add(nothing(result));
        }
        replace(site, instead);
    }

    void skipIf(CodeSite site, int parameter, String getter, String comparison, int number) {
        MethodInsnNode call = call(site);
        if (Type.getReturnType(call.desc).getSize() > 0) {
            throw new IllegalArgumentException("it is not void");
        }
        Type[] parameters = Type.getArgumentTypes(site.method().desc);
        boolean isStatic = (site.method().access & Opcodes.ACC_STATIC) != 0;
        int local = isStatic ? 0 : 1;
        for (int i = 1; i < parameter; i++) {
            local += parameters[i - 1].getSize();
        }
        InsnList before = new InsnList();
        before.add(new VarInsnNode(Opcodes.ALOAD, local));
        Type asked = step(before, parameters[parameter - 1], getter);
        if (asked.getSort() != Type.INT && asked.getSort() != Type.BOOLEAN) {
            throw new IllegalArgumentException(getter + " is of the type " + asked.getClassName());
        }
        LabelNode skipped = new LabelNode();
        before.add(new LdcInsnNode(number));
        int jump =
                switch (comparison) {
                    case "<" -> Opcodes.IF_ICMPLT;
                    case ">" -> Opcodes.IF_ICMPGT;
                    default -> Opcodes.IF_ICMPEQ;
                };
        before.add(new JumpInsnNode(jump, skipped));
        insertAround(site, before, new InsnList(), skipped);
    }

    /** Around a void call: what is before it may jump to the label, past the call and what is behind it. */
    private static void insertAround(CodeSite site, InsnList before, InsnList behind, LabelNode skipped) {
        MethodInsnNode call = call(site);
        LabelNode end = new LabelNode();
        behind.add(new JumpInsnNode(Opcodes.GOTO, end));
        behind.add(skipped);
        behind.add(dropOperands(call));
        behind.add(end);
        site.method().instructions.insertBefore(call, before);
        site.method().instructions.insert(call, behind);
    }

    void answer(CodeSite site, String value) {
        MethodInsnNode call = call(site);
        InsnList instead = dropOperands(call);
        instead.add(constant(Type.getReturnType(call.desc), value));
        replace(site, instead);
    }

    void replace(CodeSite site, String name, String descriptor) {
        MethodInsnNode call = call(site);
        boolean isStatic = call.getOpcode() == Opcodes.INVOKESTATIC;
        boolean fits = files.method(call.owner, name, descriptor)
                .filter(other -> isStatic == ((other.access & Opcodes.ACC_STATIC) != 0))
                .isPresent();
        if (!fits) {
            throw new IllegalArgumentException(
                    "there is no method " + name + descriptor + " that is called in this way in " + call.owner);
        }
        Type[] now = Type.getArgumentTypes(call.desc);
        Type[] then = Type.getArgumentTypes(descriptor);
        if (then.length > now.length || !Arrays.equals(then, Arrays.copyOf(now, then.length))) {
            throw new IllegalArgumentException("its arguments are not those of " + call.desc);
        }
        InsnList instead = new InsnList();
        for (int i = now.length - 1; i >= then.length; i--) {
            instead.add(drop(now[i]));
        }
        instead.add(new MethodInsnNode(call.getOpcode(), call.owner, name, descriptor, call.itf));
        Type wanted = Type.getReturnType(call.desc);
        Type got = Type.getReturnType(descriptor);
        if (wanted.getSize() == 0 && got.getSize() > 0) {
            instead.add(drop(got));
        } else if (wanted.getSize() != got.getSize()) {
            throw new IllegalArgumentException("it returns another type than " + call.desc);
        }
        replace(site, instead);
    }

    /** The call moves to a method of its own, because operands that are on the stack do not survive an exception. */
    void retry(CodeSite site) {
        MethodInsnNode call = call(site);
        if (call.getOpcode() == Opcodes.INVOKESTATIC || Type.getReturnType(call.desc) != Type.VOID_TYPE) {
            throw new IllegalArgumentException("it is static or not void");
        }
        String descriptor = call.desc.replaceFirst("\\(", "(L" + call.owner + ";");
        String name = "again$" + type.methods.size();
        MethodNode again = new MethodNode(
                Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC, name, descriptor, null, new String[] {
                    "java/io/IOException"
                });
        LabelNode begin = new LabelNode();
        LabelNode end = new LabelNode();
        LabelNode handler = new LabelNode();
        again.tryCatchBlocks.add(new TryCatchBlockNode(begin, end, handler, "java/io/IOException"));
        again.instructions.add(begin);
        again.instructions.add(once(call, descriptor));
        again.instructions.add(end);
        again.instructions.add(new InsnNode(Opcodes.RETURN));
        again.instructions.add(handler);
        again.instructions.add(new InsnNode(Opcodes.POP));
        again.instructions.add(once(call, descriptor));
        again.instructions.add(new InsnNode(Opcodes.RETURN));
        type.methods.add(again);
        InsnList instead = new InsnList();
        boolean isInterface = (type.access & Opcodes.ACC_INTERFACE) != 0;
        instead.add(new MethodInsnNode(Opcodes.INVOKESTATIC, type.name, name, descriptor, isInterface));
        replace(site, instead);
    }

    private static InsnList once(MethodInsnNode call, String descriptor) {
        InsnList code = new InsnList();
        int local = 0;
        for (Type argument : Type.getArgumentTypes(descriptor)) {
            code.add(new VarInsnNode(argument.getOpcode(Opcodes.ILOAD), local));
            local += argument.getSize();
        }
        code.add(new MethodInsnNode(call.getOpcode(), call.owner, call.name, call.desc, call.itf));
        return code;
    }

    /** In all objects of the class together; a call that throws has not returned. */
    void callOnce(CodeSite site) {
        MethodInsnNode call = call(site);
        if (Type.getReturnType(call.desc) != Type.VOID_TYPE) {
            throw new IllegalArgumentException("it is not void");
        }
        String name = "returned$" + type.fields.size();
        int access = Opcodes.ACC_STATIC | Opcodes.ACC_VOLATILE | Opcodes.ACC_SYNTHETIC;
        type.fields.add(new FieldNode(Opcodes.ACC_PRIVATE | access, name, "Z", null, null));
        LabelNode skipped = new LabelNode();
        InsnList before = new InsnList();
        before.add(new FieldInsnNode(Opcodes.GETSTATIC, type.name, name, "Z"));
        before.add(new JumpInsnNode(Opcodes.IFNE, skipped));
        InsnList behind = new InsnList();
        behind.add(new InsnNode(Opcodes.ICONST_1));
        behind.add(new FieldInsnNode(Opcodes.PUTSTATIC, type.name, name, "Z"));
        insertAround(site, before, behind, skipped);
    }

    void before(CodeSite site, List<String> steps) {
        MethodInsnNode call = call(site);
        Type[] arguments = Type.getArgumentTypes(call.desc);
        Type last = arguments.length > 0 ? arguments[arguments.length - 1] : Type.getObjectType(call.owner);
        InsnList inserted = new InsnList();
        inserted.add(new InsnNode(Opcodes.DUP));
        for (String step : steps) {
            last = step(inserted, last, step);
        }
        if (last.getSize() > 0) {
            inserted.add(drop(last));
        }
        site.method().instructions.insertBefore(call, inserted);
    }

    void hang(CodeSite site) {
        InsnList inserted = new InsnList();
        LabelNode again = new LabelNode();
        inserted.add(again);
        inserted.add(new MethodInsnNode(
                Opcodes.INVOKESTATIC, "java/util/concurrent/locks/LockSupport", "park", "()V", false));
        inserted.add(new JumpInsnNode(Opcodes.GOTO, again));
        site.method().instructions.insertBefore(site.instruction(), inserted);
    }

    void keep(CodeSite site) {
        FieldInsnNode field = (FieldInsnNode) site.instruction();
        InsnList instead = new InsnList();
        instead.add(drop(Type.getType(field.desc)));
        if (field.getOpcode() == Opcodes.PUTFIELD) {
            instead.add(new InsnNode(Opcodes.POP));
        }
        replace(site, instead);
    }

    void read(CodeSite site, String other) {
        FieldInsnNode field = (FieldInsnNode) site.instruction();
        boolean fits = files.field(field.owner, other)
                .filter(found -> found.desc.equals(field.desc))
                .isPresent();
        if (!fits) {
            throw new IllegalArgumentException("there is no field " + other + " of the same type in " + field.owner);
        }
        field.name = other;
    }

    void constant(CodeSite site, long number) {
        AbstractInsnNode now = site.instruction();
        boolean isLong = now instanceof LdcInsnNode constant
                ? constant.cst instanceof Long
                : now.getOpcode() == Opcodes.LCONST_0 || now.getOpcode() == Opcodes.LCONST_1;
        InsnList instead = new InsnList();
        instead.add(isLong ? new LdcInsnNode(number) : new LdcInsnNode(Math.toIntExact(number)));
        replace(site, instead);
    }

    void say(CodeSite site, String text, String instead) {
        LdcInsnNode constant = (LdcInsnNode) site.instruction();
        String whole = (String) constant.cst;
        int at = whole.indexOf(text);
        if (whole.indexOf(text, at + 1) >= 0) {
            throw new IllegalArgumentException("the text is there more than once");
        }
        constant.cst = whole.substring(0, at) + instead + whole.substring(at + text.length());
    }

    /** The operands from the last one to the argument move to new variables, and back. */
    void pass(CodeSite site, String value, int argument) {
        MethodInsnNode call = call(site);
        Type[] arguments = Type.getArgumentTypes(call.desc);
        if (argument < 1 || argument > arguments.length) {
            throw new IllegalArgumentException("it has " + arguments.length + " arguments");
        }
        InsnList inserted = new InsnList();
        InsnList back = new InsnList();
        for (int i = arguments.length - 1; i >= argument; i--) {
            int variable = site.method().maxLocals;
            site.method().maxLocals += arguments[i].getSize();
            inserted.add(new VarInsnNode(arguments[i].getOpcode(Opcodes.ISTORE), variable));
            back.insert(new VarInsnNode(arguments[i].getOpcode(Opcodes.ILOAD), variable));
        }
        inserted.add(drop(arguments[argument - 1]));
        inserted.add(constant(arguments[argument - 1], value));
        inserted.add(back);
        site.method().instructions.insertBefore(call, inserted);
    }

    void jump(CodeSite site, String when) {
        JumpInsnNode jump = (JumpInsnNode) site.instruction();
        if (when.equals("otherwise")) {
            jump.setOpcode(opposite(jump.getOpcode()));
            return;
        }
        boolean isOfTwo = jump.getOpcode() >= Opcodes.IF_ICMPEQ && jump.getOpcode() <= Opcodes.IF_ACMPNE;
        InsnList instead = new InsnList();
        instead.add(new InsnNode(isOfTwo ? Opcodes.POP2 : Opcodes.POP));
        if (when.equals("always")) {
            instead.add(new JumpInsnNode(Opcodes.GOTO, jump.label));
        }
        replace(site, instead);
    }

    private static int opposite(int opcode) {
        if (opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL) {
            return Opcodes.IFNULL + Opcodes.IFNONNULL - opcode;
        }
        // Opcodes of conditional jumps come in pairs, from an odd number on.
        return (opcode + 1 ^ 1) - 1;
    }

    void returnAtOnce(CodeSite site, String value) {
        Type result = Type.getReturnType(site.method().desc);
        if (value.isEmpty() != (result.getSize() == 0)) {
            throw new IllegalArgumentException("the method returns the type " + result.getClassName());
        }
        InsnList inserted = new InsnList();
        if (!value.isEmpty()) {
            inserted.add(constant(result, value));
        }
        inserted.add(new InsnNode(result.getOpcode(Opcodes.IRETURN)));
        site.method().instructions.insert(inserted);
    }

    /** Replaces an object on the stack by one of its fields, by the result of a getter, or by a cast of it. */
    private Type step(InsnList code, Type from, String step) {
        if (from.getSort() != Type.OBJECT) {
            throw new IllegalArgumentException(step + ": the last operand is not an object");
        }
        String owner = from.getInternalName();
        if (step.startsWith("(")) {
            String name = type.name.substring(0, type.name.lastIndexOf('/') + 1) + step.substring(1, step.length() - 1);
            files.of(name);
            code.add(new TypeInsnNode(Opcodes.CHECKCAST, name));
            return Type.getObjectType(name);
        }
        MethodNode method = files.getter(owner, step).orElse(null);
        if (method != null) {
            boolean isInterface = files.isInterface(owner);
            code.add(new MethodInsnNode(
                    isInterface ? Opcodes.INVOKEINTERFACE : Opcodes.INVOKEVIRTUAL,
                    owner,
                    step,
                    method.desc,
                    isInterface));
            return Type.getReturnType(method.desc);
        }
        FieldNode field = files.field(owner, step)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is neither " + step + "() nor a field " + step + " in " + owner));
        code.add(new FieldInsnNode(Opcodes.GETFIELD, owner, step, field.desc));
        return Type.getType(field.desc);
    }

    private static MethodInsnNode call(CodeSite site) {
        return (MethodInsnNode) site.instruction();
    }

    /** Drops all operands of a call. */
    private static InsnList dropOperands(MethodInsnNode call) {
        if (call.name.startsWith("<")) {
            throw new IllegalArgumentException("a constructor call cannot be skipped");
        }
        List<Type> operands = new ArrayList<>();
        if (call.getOpcode() != Opcodes.INVOKESTATIC) {
            operands.add(Type.getObjectType(call.owner));
        }
        operands.addAll(List.of(Type.getArgumentTypes(call.desc)));
        InsnList code = new InsnList();
        for (int i = operands.size() - 1; i >= 0; i--) {
            code.add(drop(operands.get(i)));
        }
        return code;
    }

    private static InsnNode drop(Type value) {
        return new InsnNode(value.getSize() == LONG_SIZE ? Opcodes.POP2 : Opcodes.POP);
    }

    private static AbstractInsnNode nothing(Type result) {
        return constant(result, result.getSort() >= Type.ARRAY ? "null" : "0");
    }

    private static AbstractInsnNode constant(Type result, String value) {
        return switch (value) {
            case "null" -> {
                if (result.getSort() < Type.ARRAY) {
                    throw new IllegalArgumentException("null is not of the type " + result.getClassName());
                }
                yield new InsnNode(Opcodes.ACONST_NULL);
            }
            case "true" -> new InsnNode(Opcodes.ICONST_1);
            case "false" -> new InsnNode(Opcodes.ICONST_0);
            default -> {
                long number = Long.parseLong(value);
                yield result.getSort() == Type.LONG
                        ? new LdcInsnNode(number)
                        : new LdcInsnNode(Math.toIntExact(number));
            }
        };
    }

    private static void replace(CodeSite site, InsnList instead) {
        site.method().instructions.insert(site.instruction(), instead);
        site.method().instructions.remove(site.instruction());
    }
}
