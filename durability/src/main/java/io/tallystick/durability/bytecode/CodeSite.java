package io.tallystick.durability.bytecode;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** One instruction of a method. The static methods find the instructions that the text of a change names. */
record CodeSite(MethodNode method, AbstractInsnNode instruction) {
    private static final int UNKNOWN = -2;
    private static final Set<Integer> CALLS =
            Set.of(AbstractInsnNode.METHOD_INSN, AbstractInsnNode.INVOKE_DYNAMIC_INSN);

    private static final Map<String, Integer> ARITHMETIC =
            Map.of("subtraction", Opcodes.ISUB, "remainder", Opcodes.IREM, "comparison", Opcodes.LCMP);

    /** Calls of {@code Owner.method}, where the owner is the simple name of a class. */
    static List<CodeSite> calls(List<MethodNode> methods, String name) {
        return all(methods)
                .filter(site -> site.instruction instanceof MethodInsnNode call
                        && name.equals(simple(call.owner) + "." + call.name))
                .toList();
    }

    /** Reads of {@code Owner.field}. */
    static List<CodeSite> reads(List<MethodNode> methods, String name) {
        return fields(methods, name, List.of(Opcodes.GETFIELD, Opcodes.GETSTATIC));
    }

    /** Assignments of {@code Owner.field}. */
    static List<CodeSite> writes(List<MethodNode> methods, String name) {
        return fields(methods, name, List.of(Opcodes.PUTFIELD, Opcodes.PUTSTATIC));
    }

    private static List<CodeSite> fields(List<MethodNode> methods, String name, List<Integer> opcodes) {
        return all(methods)
                .filter(site -> site.instruction instanceof FieldInsnNode field
                        && opcodes.contains(field.getOpcode())
                        && name.equals(simple(field.owner) + "." + field.name))
                .toList();
    }

    /** Instructions that put this number on the stack. */
    static List<CodeSite> constants(List<MethodNode> methods, long number) {
        return all(methods)
                .filter(site -> Objects.equals(constantOf(site.instruction), number))
                .toList();
    }

    /** Constants that have this text in them. */
    static List<CodeSite> texts(List<MethodNode> methods, String text) {
        return all(methods)
                .filter(site -> site.instruction instanceof LdcInsnNode constant
                        && constant.cst instanceof String whole
                        && whole.contains(text))
                .toList();
    }

    /** The first conditional jump after each call, field read, or arithmetic instruction of this name. */
    static List<CodeSite> jumpsAfter(List<MethodNode> methods, String name) {
        Stream<CodeSite> places = name.contains(".")
                ? Stream.concat(calls(methods, name).stream(), reads(methods, name).stream())
                : all(methods).filter(site -> ARITHMETIC.getOrDefault(name, UNKNOWN) == site.instruction.getOpcode());
        return places.flatMap(CodeSite::nextJump).toList();
    }

    /** The conditional jump that this instruction decides: no call lies in between. */
    private Stream<CodeSite> nextJump() {
        for (AbstractInsnNode next = instruction.getNext(); next != null; next = next.getNext()) {
            if (next instanceof JumpInsnNode) {
                return next.getOpcode() == Opcodes.GOTO ? Stream.empty() : Stream.of(new CodeSite(method, next));
            }
            if (CALLS.contains(next.getType())) {
                return Stream.empty();
            }
        }
        return Stream.empty();
    }

    private static Stream<CodeSite> all(List<MethodNode> methods) {
        return methods.stream().flatMap(method -> IntStream.range(0, method.instructions.size())
                .mapToObj(index -> new CodeSite(method, method.instructions.get(index))));
    }

    private static Long constantOf(AbstractInsnNode instruction) {
        if (instruction instanceof LdcInsnNode constant) {
            return constant.cst instanceof Integer || constant.cst instanceof Long
                    ? (Long) ((Number) constant.cst).longValue()
                    : null;
        }
        if (instruction instanceof IntInsnNode constant && constant.getOpcode() != Opcodes.NEWARRAY) {
            return (long) constant.operand;
        }
        return switch (instruction.getOpcode()) {
            case Opcodes.ICONST_0, Opcodes.LCONST_0 -> 0L;
            case Opcodes.ICONST_1, Opcodes.LCONST_1 -> 1L;
            case Opcodes.ICONST_2 -> 2L;
            case Opcodes.ICONST_3 -> 3L;
            case Opcodes.ICONST_4 -> 4L;
            case Opcodes.ICONST_5 -> 5L;
            default -> null;
        };
    }

    /** The name of a class without its package and the classes around it. */
    static String simple(String internalName) {
        return internalName.substring(Math.max(internalName.lastIndexOf('/'), internalName.lastIndexOf('$')) + 1);
    }
}
