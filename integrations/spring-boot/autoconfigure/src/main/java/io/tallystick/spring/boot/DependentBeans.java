package io.tallystick.spring.boot;

import org.springframework.boot.autoconfigure.AbstractDependsOnBeanFactoryPostProcessor;

/** Has each bean of a type made after another bean, and destroyed before it. */
final class DependentBeans extends AbstractDependsOnBeanFactoryPostProcessor {
    DependentBeans(Class<?> type, String dependency) {
        super(type, dependency);
    }
}
