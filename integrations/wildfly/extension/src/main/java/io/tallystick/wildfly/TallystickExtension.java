package io.tallystick.wildfly;

import org.jboss.as.controller.Extension;
import org.jboss.as.controller.ExtensionContext;
import org.jboss.as.controller.ModelVersion;
import org.jboss.as.controller.SubsystemRegistration;
import org.jboss.as.controller.operations.common.GenericSubsystemDescribeHandler;
import org.jboss.as.controller.parsing.ExtensionParsingContext;

/** What WildFly loads for {@code <extension module="io.tallystick.wildfly"/>}: the subsystem {@code tallystick}. */
public final class TallystickExtension implements Extension {
    static final String SUBSYSTEM = "tallystick";

    private static final ModelVersion MODEL = ModelVersion.create(1, 0, 0);

    /** For WildFly, which finds the class by its service file. */
    public TallystickExtension() {}

    @Override
    public void initialize(ExtensionContext context) {
        // A domain's host controller keeps the model and runs no transactions: it has no paths and needs none.
        ServerLog log = context.getProcessType().isServer()
                ? ServerLog.of(context.getPathManager())
                : ServerLog.withoutServer();
        SubsystemRegistration subsystem = context.registerSubsystem(SUBSYSTEM, MODEL);
        subsystem
                .registerSubsystemModel(SubsystemDefinition.of(log))
                .registerOperationHandler(
                        GenericSubsystemDescribeHandler.DEFINITION, GenericSubsystemDescribeHandler.INSTANCE);
        subsystem.registerXMLElementWriter(SubsystemXml::new);
    }

    @Override
    public void initializeParsers(ExtensionParsingContext context) {
        context.setSubsystemXmlMapping(SUBSYSTEM, SubsystemXml.NAMESPACE, SubsystemXml::new);
    }
}
