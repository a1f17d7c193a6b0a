package io.tallystick.wildfly;

import org.jboss.as.controller.AbstractAddStepHandler;
import org.jboss.as.controller.CapabilityServiceBuilder;
import org.jboss.as.controller.OperationContext;
import org.jboss.as.controller.OperationFailedException;
import org.jboss.as.controller.registry.Resource;
import org.jboss.dmr.ModelNode;

/**
 * Puts the store into Narayana while the server boots.
 *
 * <p><b>The order.</b> The services of the subsystem {@code transactions} cannot be made to depend on one of ours. So
 * the store takes its place in Narayana in the stage MODEL of the boot. The server ends this stage for all
 * subsystems, also when they boot in parallel, before it installs the first service of any subsystem in the stage
 * RUNTIME. The store is opened later: by {@link LogService}, or by the first service that uses the log, whichever
 * comes first. Both depend on the service that tells Narayana its directory.
 */
final class SubsystemAdd extends AbstractAddStepHandler {
    private final ServerLog log;

    SubsystemAdd(ServerLog log) {
        this.log = log;
    }

    @Override
    protected void populateModel(OperationContext context, ModelNode operation, Resource resource)
            throws OperationFailedException {
        super.populateModel(context, operation, resource);
        if (context.isBooting()) {
            SubsystemSettings.check(context, resource.getModel());
        } else {
            SubsystemSettings.checkChange(context, resource.getModel());
        }
        if (context.isBooting() && requiresRuntime(context)) {
            log.install(SubsystemSettings.of(context, resource.getModel()));
        }
    }

    // Added later than at boot: recovery keeps the store that the process began with, also over a reload.
    @Override
    protected void performRuntime(OperationContext context, ModelNode operation, Resource resource) {
        if (!context.isBooting()) {
            context.restartRequired();
            return;
        }
        CapabilityServiceBuilder<?> builder =
                context.getCapabilityServiceTarget().addService();
        builder.provides(SubsystemDefinition.LOG);
        builder.requires(LogService.OBJECT_STORE_ENVIRONMENT);
        builder.setInstance(new LogService(log));
        builder.install();
    }

    @Override
    protected void rollbackRuntime(OperationContext context, ModelNode operation, Resource resource) {
        if (!context.isBooting()) {
            context.revertRestartRequired();
        }
    }
}
