package io.tallystick.wildfly;

import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import java.util.Optional;
import java.util.function.Function;
import org.jboss.as.controller.AbstractRuntimeOnlyHandler;
import org.jboss.as.controller.AttributeDefinition;
import org.jboss.as.controller.OperationContext;
import org.jboss.as.controller.OperationDefinition;
import org.jboss.as.controller.OperationFailedException;
import org.jboss.as.controller.OperationStepHandler;
import org.jboss.as.controller.SimpleAttributeDefinition;
import org.jboss.as.controller.SimpleAttributeDefinitionBuilder;
import org.jboss.as.controller.SimpleMapAttributeDefinition;
import org.jboss.as.controller.SimpleOperationDefinitionBuilder;
import org.jboss.as.controller.client.helpers.MeasurementUnit;
import org.jboss.as.controller.operations.validation.IntRangeValidator;
import org.jboss.as.controller.registry.ManagementResourceRegistration;
import org.jboss.dmr.ModelNode;
import org.jboss.dmr.ModelType;

/**
 * The transactions in doubt in the resource of the subsystem, with the names and words of docs/in-doubt.md. It reads
 * only. Attributes are undefined while the log cannot be listed; then the operations fail with the reason.
 */
final class InDoubtResource {
    private static final int SHOWN = 100;

    private static final AttributeDefinition COUNT = new SimpleMapAttributeDefinition.Builder(
                    "in-doubt-count", ModelType.INT, true)
            .setStorageRuntime()
            .build();
    private static final AttributeDefinition OLDEST = SimpleAttributeDefinitionBuilder.create(
                    "in-doubt-oldest-seconds", ModelType.LONG, true)
            .setMeasurementUnit(MeasurementUnit.SECONDS)
            .setStorageRuntime()
            .build();
    private static final AttributeDefinition UNSEEN = SimpleAttributeDefinitionBuilder.create(
                    "in-doubt-unseen", ModelType.LONG, true)
            .setStorageRuntime()
            .build();

    private static final SimpleAttributeDefinition LIMIT = SimpleAttributeDefinitionBuilder.create(
                    "limit", ModelType.INT, true)
            .setDefaultValue(new ModelNode(SHOWN))
            .setValidator(new IntRangeValidator(1, InDoubtLook.WATCHED, true, false))
            .build();
    private static final SimpleAttributeDefinition UID = SimpleAttributeDefinitionBuilder.create(
                    "uid", ModelType.STRING)
            .setMinSize(1)
            .build();

    private static final OperationDefinition LIST = new SimpleOperationDefinitionBuilder(
                    "list-in-doubt", SubsystemDefinition.DESCRIPTIONS)
            .setParameters(LIMIT)
            .setReplyType(ModelType.LIST)
            .setReplyValueType(ModelType.OBJECT)
            .setReadOnly()
            .setRuntimeOnly()
            .build();
    private static final OperationDefinition SHOW = new SimpleOperationDefinitionBuilder(
                    "show-in-doubt", SubsystemDefinition.DESCRIPTIONS)
            .setParameters(UID)
            .setReplyType(ModelType.OBJECT)
            .setReadOnly()
            .setRuntimeOnly()
            .build();

    private final ServerLog log;

    InDoubtResource(ServerLog log) {
        this.log = log;
    }

    void registerAttributes(ManagementResourceRegistration resource) {
        resource.registerReadOnlyAttribute(COUNT, figure(report -> Optional.of(report.countByLabel())));
        resource.registerReadOnlyAttribute(
                OLDEST, figure(report -> report.oldestAge().map(age -> age.toSeconds())));
        resource.registerReadOnlyAttribute(UNSEEN, figure(report -> Optional.of(report.unseen())));
    }

    void registerOperations(ManagementResourceRegistration resource) {
        resource.registerOperationHandler(LIST, reading((context, operation) -> {
            int limit = LIMIT.resolveModelAttribute(context, operation).asInt();
            context.getResult()
                    .set(ModelNodes.of(
                            look().look().orElseThrow(this::notListed).listed(limit)));
        }));
        resource.registerOperationHandler(SHOW, reading((context, operation) -> {
            String uid = UID.resolveModelAttribute(context, operation).asString();
            InDoubtReport report = look().lookNow().orElseThrow(this::notListed);
            InDoubtTransaction found = report.find(uid).orElseThrow(() -> notInDoubt(uid, report.unseen()));
            context.getResult().set(ModelNodes.of(found.details()));
        }));
    }

    private InDoubtLook look() throws OperationFailedException {
        return log.inDoubt().orElseThrow(this::notListed);
    }

    private static OperationFailedException notInDoubt(String uid, long unseen) {
        return new OperationFailedException(
                "no transaction in doubt has uid='" + uid + "': it has ended, or is still open"
                        + (unseen > 0 ? ", or is one of the " + unseen + " whose records were not looked at" : "")
                        + ". The operation list-in-doubt names those that are in doubt; 'tallystick show' reads all");
    }

    private OperationFailedException notListed() {
        return new OperationFailedException("the log of the transaction manager cannot be listed: " + log.health()
                + ". Correct the cause that the server's log names, and reload");
    }

    private OperationStepHandler figure(Function<InDoubtReport, Optional<?>> value) {
        return reading((context, operation) -> log.inDoubt()
                .flatMap(InDoubtLook::look)
                .flatMap(value)
                .ifPresent(known -> context.getResult().set(ModelNodes.of(known))));
    }

    private static OperationStepHandler reading(OperationStepHandler step) {
        return new AbstractRuntimeOnlyHandler() {
            @Override
            protected void executeRuntimeStep(OperationContext context, ModelNode operation)
                    throws OperationFailedException {
                step.execute(context, operation);
            }
        };
    }
}
