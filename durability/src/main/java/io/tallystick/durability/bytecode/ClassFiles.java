package io.tallystick.durability.bytecode;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/** Answers questions about classes from their class files, so that no class is loaded. Names are internal names. */
final class ClassFiles {
    private static final String OBJECT = "java/lang/Object";

    private final ClassLoader source;
    private final Map<String, ClassNode> known = new HashMap<>();

    ClassFiles(ClassLoader source) {
        this.source = source;
    }

    /** A writer that finds common superclasses without loading classes. */
    ClassWriter writer(int flags) {
        return new ClassWriter(flags) {
            @Override
            protected String getCommonSuperClass(String one, String other) {
                return commonSuperclass(one, other);
            }
        };
    }

    /** The fields and the methods of a class, without code. */
    synchronized ClassNode of(String name) {
        return known.computeIfAbsent(name, this::read);
    }

    private ClassNode read(String name) {
        try (InputStream file = source.getResourceAsStream(name + ".class")) {
            if (file == null) {
                throw new IllegalStateException("there is no class file of " + name);
            }
            ClassNode node = new ClassNode();
            new ClassReader(file.readAllBytes())
                    .accept(node, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return node;
        } catch (IOException unreadable) {
            throw new IllegalStateException("the class file of " + name + " cannot be read", unreadable);
        }
    }

    /** The class and its superclasses, the class itself first. */
    private List<ClassNode> line(String name) {
        List<ClassNode> line = new ArrayList<>();
        for (String each = name; each != null; each = line.get(line.size() - 1).superName) {
            line.add(of(each));
        }
        return line;
    }

    /** The class, its superclasses, and all interfaces of them. */
    private Set<ClassNode> ancestors(String name) {
        Set<ClassNode> all = new HashSet<>();
        List<String> left = new ArrayList<>(List.of(name, OBJECT));
        while (!left.isEmpty()) {
            ClassNode node = of(left.remove(left.size() - 1));
            if (all.add(node)) {
                left.addAll(node.interfaces);
                if (node.superName != null) {
                    left.add(node.superName);
                }
            }
        }
        return all;
    }

    boolean isSubclass(String name, String superclass) {
        return !name.startsWith("[") && line(name).stream().anyMatch(each -> each.name.equals(superclass));
    }

    boolean isInterface(String name) {
        return (of(name).access & Opcodes.ACC_INTERFACE) != 0;
    }

    boolean isVolatile(String owner, String field) {
        return field(owner, field)
                .filter(found -> (found.access & Opcodes.ACC_VOLATILE) != 0)
                .isPresent();
    }

    /** The field as this class or a superclass declares it. */
    Optional<FieldNode> field(String owner, String name) {
        return line(owner).stream()
                .flatMap(node -> node.fields.stream())
                .filter(field -> field.name.equals(name))
                .findFirst();
    }

    /** The method as this class or an ancestor declares it. */
    Optional<MethodNode> method(String owner, String name, String descriptor) {
        return ancestors(owner).stream()
                .flatMap(node -> node.methods.stream())
                .filter(method -> method.name.equals(name) && method.desc.equals(descriptor))
                .findFirst();
    }

    /** The method of this name without parameters. */
    Optional<MethodNode> getter(String owner, String name) {
        for (ClassNode node : line(owner)) {
            for (MethodNode method : node.methods) {
                if (method.name.equals(name) && method.desc.startsWith("()")) {
                    return Optional.of(method);
                }
            }
        }
        return ancestors(owner).stream()
                .flatMap(node -> node.methods.stream())
                .filter(method -> method.name.equals(name) && method.desc.startsWith("()"))
                .findFirst();
    }

    private String commonSuperclass(String one, String other) {
        if (one.startsWith("[") || other.startsWith("[") || isInterface(one) || isInterface(other)) {
            return OBJECT;
        }
        return line(one).stream()
                .map(each -> each.name)
                .filter(each -> isSubclass(other, each))
                .findFirst()
                .orElse(OBJECT);
    }
}
