package io.tallystick.rules;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a program outside can name of a class: a line for the type, and one for each member that it can call, read or
 * override, sorted. The lines are the same on every JDK. Values of constants are left out, and so are the methods that
 * every object has.
 */
final class PublicSignatures {
    private static final String INDENT = "    ";

    private PublicSignatures() {}

    /** The lines of a type; none if code outside its package cannot name it. */
    static List<String> of(Class<?> type) {
        List<String> lines = new ArrayList<>();
        if (!isReachable(type)) {
            return lines;
        }
        TreeSet<String> members = new TreeSet<>();
        // A public type hands on what it inherits from a type that nobody can name.
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            if (declaring == type || !isReachable(declaring)) {
                addMembers(declaring, type, members);
            }
        }
        lines.add(header(type));
        members.forEach(member -> lines.add(INDENT + member));
        return lines;
    }

    private static boolean isReachable(Class<?> type) {
        boolean isAccessible = Modifier.isPublic(type.getModifiers()) || Modifier.isProtected(type.getModifiers());
        return isAccessible && (type.getEnclosingClass() == null || isReachable(type.getEnclosingClass()));
    }

    private static void addMembers(Class<?> declaring, Class<?> type, TreeSet<String> members) {
        for (Field field : declaring.getDeclaredFields()) {
            if (isVisible(field, type)) {
                members.add(prefix(field, field.isAnnotationPresent(Deprecated.class)) + name(field.getGenericType())
                        + " " + field.getName());
            }
        }
        for (Method method : declaring.getDeclaredMethods()) {
            if (isVisible(method, type) && !method.isBridge() && !isOfEveryObject(method)) {
                String kind = method.isDefault() ? "default " : "";
                members.add(prefix(method, method.isAnnotationPresent(Deprecated.class)) + kind
                        + parameters(method.getTypeParameters()) + name(method.getGenericReturnType()) + " "
                        + method.getName() + arguments(method));
            }
        }
        if (declaring == type) {
            for (Constructor<?> constructor : declaring.getDeclaredConstructors()) {
                if (isVisible(constructor, type)) {
                    members.add(prefix(constructor, constructor.isAnnotationPresent(Deprecated.class))
                            + parameters(constructor.getTypeParameters()) + "new" + arguments(constructor));
                }
            }
        }
    }

    private static boolean isVisible(Member member, Class<?> type) {
        boolean isOverridable = Modifier.isProtected(member.getModifiers()) && !Modifier.isFinal(type.getModifiers());
        return (Modifier.isPublic(member.getModifiers()) || isOverridable) && !member.isSynthetic();
    }

    private static boolean isOfEveryObject(Method method) {
        return Stream.of(Object.class.getMethods())
                .anyMatch(one -> one.getName().equals(method.getName())
                        && Arrays.equals(one.getParameterTypes(), method.getParameterTypes()));
    }

    private static String header(Class<?> type) {
        boolean isInterface = type.isInterface();
        String kind = type.isAnnotation()
                ? "@interface "
                : isInterface ? "interface " : type.isEnum() ? "enum " : type.isRecord() ? "record " : "class ";
        int modifiers = type.getModifiers();
        if (isInterface || type.isEnum()) {
            modifiers &= ~(Modifier.ABSTRACT | Modifier.FINAL | Modifier.STATIC);
        }
        String sealed = type.isSealed() ? "sealed " : "";
        String deprecated = type.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "";
        StringBuilder line = new StringBuilder(deprecated)
                .append(words(modifiers))
                .append(sealed)
                .append(kind)
                .append(type.getName())
                .append(parameters(type.getTypeParameters()).strip());
        Class<?> parent = type.getSuperclass();
        if (parent != null && parent != Object.class && parent != Enum.class && parent != Record.class) {
            line.append(" extends ").append(name(type.getGenericSuperclass()));
        }
        String interfaces = sortedNames(type.getGenericInterfaces());
        if (!interfaces.isEmpty()) {
            line.append(isInterface ? " extends " : " implements ").append(interfaces);
        }
        if (type.isSealed()) {
            line.append(" permits ").append(sortedNames(type.getPermittedSubclasses()));
        }
        return line.toString();
    }

    private static String prefix(Member member, boolean isDeprecated) {
        int modifiers = member.getModifiers();
        if (member.getDeclaringClass().isInterface()) {
            modifiers &= ~Modifier.ABSTRACT;
        }
        if (member instanceof Executable) {
            modifiers &= ~(Modifier.VOLATILE | Modifier.TRANSIENT); // they mean bridge and varargs here
        }
        return (isDeprecated ? "@Deprecated " : "") + words(modifiers);
    }

    /** The modifiers that bind a caller. */
    private static String words(int modifiers) {
        String words = Modifier.toString(modifiers
                & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL));
        return words.isEmpty() ? "" : words + " ";
    }

    private static String parameters(TypeVariable<?>[] variables) {
        if (variables.length == 0) {
            return "";
        }
        return Stream.of(variables)
                .map(variable -> {
                    String bounds = names(variable.getBounds(), " & ");
                    return variable.getName() + (bounds.equals("java.lang.Object") ? "" : " extends " + bounds);
                })
                .collect(Collectors.joining(", ", "<", "> "));
    }

    private static String arguments(Executable executable) {
        String arguments = names(executable.getGenericParameterTypes(), ", ");
        if (executable.isVarArgs()) {
            arguments = arguments.substring(0, arguments.length() - "[]".length()) + "...";
        }
        String thrown = sortedNames(executable.getGenericExceptionTypes());
        return "(" + arguments + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String names(Type[] types, String separator) {
        return Stream.of(types).map(PublicSignatures::name).collect(Collectors.joining(separator));
    }

    private static String sortedNames(Type[] types) {
        return Stream.of(types).map(PublicSignatures::name).sorted().collect(Collectors.joining(", "));
    }

    private static String name(Type type) {
        return type.getTypeName();
    }
}
