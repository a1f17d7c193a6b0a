package io.tallystick.storage;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The lock that guards a field, or that a caller of a method holds. Error Prone checks it in the profile {@code
 * strict}, and finds it by its simple name. It does not reach class files: a compiler that reads one whose annotation
 * type is missing warns. Not for users.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.FIELD, ElementType.METHOD})
public @interface GuardedBy {
    /** The expression that names the lock where the field or method is declared. */
    String value();
}
