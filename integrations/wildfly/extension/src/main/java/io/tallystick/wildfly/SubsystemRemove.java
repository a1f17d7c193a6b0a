package io.tallystick.wildfly;

import org.jboss.as.controller.AbstractRemoveStepHandler;
import org.jboss.as.controller.OperationContext;
import org.jboss.dmr.ModelNode;

/** Takes effect with a new process, because recovery keeps the store that the process began with. */
final class SubsystemRemove extends AbstractRemoveStepHandler {
    @Override
    protected void performRuntime(OperationContext context, ModelNode operation, ModelNode model) {
        context.restartRequired();
    }

    @Override
    protected void recoverServices(OperationContext context, ModelNode operation, ModelNode model) {
        context.revertRestartRequired();
    }
}
