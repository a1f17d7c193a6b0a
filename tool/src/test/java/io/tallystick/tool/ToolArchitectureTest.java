package io.tallystick.tool;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.ObjectInputStream;
import org.junit.jupiter.api.Test;

/** The house rules, as far as they hold for a program. */
class ToolArchitectureTest {
    private static final JavaClasses TOOL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.tallystick.tool");

    @Test
    void onlyMainKnowsTheStandardStreams() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(TOOL.that(not(type(Main.class))));
    }

    @Test
    void nobodyDeserializes() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ObjectInputStream.class))
                .check(TOOL);
    }

    @Test
    void thereIsNoStaticStateThatChanges() {
        fields().that()
                .areStatic()
                .and()
                .doNotHaveModifier(com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC)
                .should()
                .beFinal()
                .check(TOOL);
    }
}
