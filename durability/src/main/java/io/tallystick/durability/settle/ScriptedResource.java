package io.tallystick.durability.settle;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A resource that answers the node's calls as the plan of its transaction says. */
final class ScriptedResource implements InvocationHandler {
    private final XAResource resource;
    private final Plan plan;
    private final int index;
    private final AtomicBoolean isNodeDead;
    private final Consumer<String> steps;
    private final Consumer<Xid> started;

    private ScriptedResource(
            XAResource resource,
            Plan plan,
            int index,
            AtomicBoolean isNodeDead,
            Consumer<String> steps,
            Consumer<Xid> started) {
        this.resource = resource;
        this.plan = plan;
        this.index = index;
        this.isNodeDead = isNodeDead;
        this.steps = steps;
        this.started = started;
    }

    /**
     * The resource with this place in the plan.
     *
     * @param isNodeDead from then on no call of the node arrives; all resources of the transaction share it
     * @param steps is told before and after each prepare and commit, and may never return
     * @param started is told the Xid of the branch before anything is done in it
     */
    static XAResource of(
            XAResource resource,
            Plan plan,
            int index,
            AtomicBoolean isNodeDead,
            Consumer<String> steps,
            Consumer<Xid> started) {
        return (XAResource) Proxy.newProxyInstance(
                ScriptedResource.class.getClassLoader(),
                new Class<?>[] {XAResource.class},
                new ScriptedResource(resource, plan, index, isNodeDead, steps, started));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "start" -> {
                started.accept((Xid) arguments[0]);
                yield passed(method, arguments);
            }
            case "prepare" -> prepare((Xid) arguments[0]);
            case "commit" -> {
                steps.accept("before commit");
                commit((Xid) arguments[0], (Boolean) arguments[1]);
                steps.accept("after commit");
                yield null;
            }
            case "rollback" -> {
                rollback((Xid) arguments[0]);
                yield null;
            }
            case "isSameRM" -> arguments[0] == proxy;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> arguments[0] == proxy;
            case "forget" -> null;
            default -> passed(method, arguments);
        };
    }

    private Object passed(Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(resource, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private int prepare(Xid xid) throws XAException {
        steps.accept("before prepare");
        boolean isLast = index == plan.resources() - 1;
        if (isLast && plan.fate() == Plan.Fate.ABORTED) {
            resource.rollback(xid);
            throw new XAException(XAException.XA_RBROLLBACK);
        }
        int vote = resource.prepare(xid);
        if (isLast && plan.fate() == Plan.Fate.ORPHAN) {
            isNodeDead.set(true);
            throw new XAException(XAException.XAER_RMERR);
        }
        steps.accept("after prepare");
        return vote;
    }

    private void commit(Xid xid, boolean isOnePhase) throws XAException {
        switch (plan.fate()) {
            case SILENT, GIVEN_UP, UNREADABLE -> {
                if (index >= plan.at()) {
                    throw new XAException(XAException.XAER_RMFAIL);
                }
            }
            case HEURISTIC -> {
                if (index == plan.at()) {
                    answer(xid, plan.code());
                } else if (index > plan.at() && plan.isRestSilent()) {
                    throw new XAException(XAException.XAER_RMFAIL);
                }
            }
            default -> {
                // it commits
            }
        }
        resource.commit(xid, isOnePhase);
    }

    private void answer(Xid xid, int code) throws XAException {
        switch (code) {
            case XAException.XA_HEURCOM, XAException.XA_HEURMIX -> resource.commit(xid, false);
            case XAException.XA_HEURRB, XAException.XA_HEURHAZ -> resource.rollback(xid);
            default -> {
                // the branch is as it was
            }
        }
        throw new XAException(code);
    }

    private void rollback(Xid xid) throws XAException {
        if (isNodeDead.get()) {
            return;
        }
        if (plan.fate() == Plan.Fate.ABORTED && index == plan.at()) {
            throw new XAException(plan.code());
        }
        resource.rollback(xid);
    }
}
