package io.tallystick.wildfly;

import java.util.List;
import org.jboss.as.controller.AbstractRuntimeOnlyHandler;
import org.jboss.as.controller.AttributeDefinition;
import org.jboss.as.controller.OperationContext;
import org.jboss.as.controller.OperationFailedException;
import org.jboss.as.controller.OperationStepHandler;
import org.jboss.as.controller.PathElement;
import org.jboss.as.controller.PropertiesAttributeDefinition;
import org.jboss.as.controller.ReloadRequiredWriteAttributeHandler;
import org.jboss.as.controller.SimpleAttributeDefinition;
import org.jboss.as.controller.SimpleAttributeDefinitionBuilder;
import org.jboss.as.controller.SimpleResourceDefinition;
import org.jboss.as.controller.capability.RuntimeCapability;
import org.jboss.as.controller.descriptions.ModelDescriptionConstants;
import org.jboss.as.controller.descriptions.ResourceDescriptionResolver;
import org.jboss.as.controller.descriptions.StandardResourceDescriptionResolver;
import org.jboss.as.controller.registry.AttributeAccess;
import org.jboss.as.controller.registry.ManagementResourceRegistration;
import org.jboss.as.controller.registry.Resource;
import org.jboss.dmr.ModelNode;
import org.jboss.dmr.ModelType;

/** The resource {@code /subsystem=tallystick}: its attributes and operations. */
final class SubsystemDefinition extends SimpleResourceDefinition {
    static final PathElement PATH =
            PathElement.pathElement(ModelDescriptionConstants.SUBSYSTEM, TallystickExtension.SUBSYSTEM);

    /** The log of the transaction manager lies in a Tallystick store. */
    static final RuntimeCapability<Void> LOG = RuntimeCapability.Builder.of("io.tallystick.log", Void.class)
            .addRequirements("org.wildfly.transactions")
            .build();

    static final SimpleAttributeDefinition DIRECTORY =
            text("directory").setDefaultValue(new ModelNode("tallystick")).build();
    static final SimpleAttributeDefinition RELATIVE_TO = text("relative-to")
            .setDefaultValue(new ModelNode("jboss.server.data.dir"))
            .setAllowExpression(false)
            .build();
    static final SimpleAttributeDefinition STORE =
            text("store").setDefaultValue(new ModelNode("journal")).build();
    static final SimpleAttributeDefinition NODE_ID = text("node-id").build();
    static final PropertiesAttributeDefinition OPTIONS = new PropertiesAttributeDefinition.Builder("options", true)
            .setAllowExpression(true)
            .setFlags(AttributeAccess.Flag.RESTART_ALL_SERVICES)
            .build();

    /** Those that are attributes in XML too. */
    static final List<AttributeDefinition> XML_ATTRIBUTES = List.of(DIRECTORY, RELATIVE_TO, STORE, NODE_ID);

    private static final AttributeDefinition HEALTH = SimpleAttributeDefinitionBuilder.create(
                    "health", ModelType.STRING)
            .setStorageRuntime()
            .build();

    static final ResourceDescriptionResolver DESCRIPTIONS = new StandardResourceDescriptionResolver(
            TallystickExtension.SUBSYSTEM,
            SubsystemDefinition.class.getPackageName() + ".LocalDescriptions",
            SubsystemDefinition.class.getClassLoader(),
            true,
            false);

    private final ServerLog log;
    private final InDoubtResource inDoubt;

    private SubsystemDefinition(Parameters parameters, ServerLog log) {
        super(parameters);
        this.log = log;
        this.inDoubt = new InDoubtResource(log);
    }

    static SubsystemDefinition of(ServerLog log) {
        return new SubsystemDefinition(
                new Parameters(PATH, DESCRIPTIONS)
                        .setAddHandler(new SubsystemAdd(log))
                        .setRemoveHandler(new SubsystemRemove())
                        .setCapabilities(LOG),
                log);
    }

    @Override
    public void registerAttributes(ManagementResourceRegistration resource) {
        OperationStepHandler change = new CheckedChange();
        for (AttributeDefinition attribute : XML_ATTRIBUTES) {
            resource.registerReadWriteAttribute(attribute, null, change);
        }
        resource.registerReadWriteAttribute(OPTIONS, null, change);
        resource.registerReadOnlyAttribute(HEALTH, new AbstractRuntimeOnlyHandler() {
            @Override
            protected void executeRuntimeStep(OperationContext context, ModelNode operation) {
                context.getResult().set(log.health());
            }
        });
        inDoubt.registerAttributes(resource);
    }

    @Override
    public void registerOperations(ManagementResourceRegistration resource) {
        super.registerOperations(resource);
        inDoubt.registerOperations(resource);
    }

    private static SimpleAttributeDefinitionBuilder text(String name) {
        return SimpleAttributeDefinitionBuilder.create(name, ModelType.STRING, true)
                .setAllowExpression(true)
                .setMinSize(1)
                .setFlags(AttributeAccess.Flag.RESTART_ALL_SERVICES);
    }

    /** A change that the store will accept after the reload; any other is refused now. */
    private static final class CheckedChange extends ReloadRequiredWriteAttributeHandler {
        @Override
        protected void finishModelStage(
                OperationContext context,
                ModelNode operation,
                String name,
                ModelNode newValue,
                ModelNode oldValue,
                Resource resource)
                throws OperationFailedException {
            super.finishModelStage(context, operation, name, newValue, oldValue, resource);
            SubsystemSettings.checkChange(context, resource.getModel());
        }
    }
}
