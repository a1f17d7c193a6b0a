package io.tallystick.durability.delays;

import java.util.SplittableRandom;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Puts a call of {@link DelayPoint#pass} before random instructions of a class. The places follow from the seed, the
 * class and its bytecode, so the same seed finds the same places again.
 */
final class DelayWeaver {
    private static final String POINT = Type.getInternalName(DelayPoint.class);

    private final long seed;
    private final int oneIn;

    /** @param oneIn a place is before one instruction in this many */
    DelayWeaver(long seed, int oneIn) {
        this.seed = seed;
        this.oneIn = oneIn;
    }

    /** The class with the places in it; the bytes that were given if it has none. */
    byte[] woven(byte[] original) {
        ClassNode node = new ClassNode();
        ClassReader reader = new ClassReader(original);
        reader.accept(node, 0);
        SplittableRandom random = new SplittableRandom(seed * 31 + node.name.hashCode());
        int places = 0;
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode instruction : method.instructions.toArray()) {
                // Frames know an object that is not initialized by the place where its NEW begins.
                boolean isPlace = instruction.getOpcode() >= 0 && instruction.getOpcode() != Opcodes.NEW;
                if (isPlace && random.nextInt(oneIn) == 0) {
                    method.instructions.insertBefore(instruction, passing(random.nextInt(Short.MAX_VALUE)));
                    method.maxStack++;
                    places++;
                }
            }
        }
        if (places == 0) {
            return original;
        }
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        return writer.toByteArray();
    }

    private static InsnList passing(int place) {
        InsnList code = new InsnList();
        code.add(new LdcInsnNode(place));
        code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, POINT, "pass", "(I)V", false));
        return code;
    }
}
