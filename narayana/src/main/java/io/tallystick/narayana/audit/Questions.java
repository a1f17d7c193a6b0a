package io.tallystick.narayana.audit;

import io.tallystick.narayana.recover.Resources.Source;
import io.tallystick.store.spi.StoreThread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import javax.transaction.xa.XAResource;
import org.jboss.tm.XAResourceWrapper;

/**
 * One question to each resource. Each source gives its resources on a thread of its own, and each resource answers on
 * one of its own, so one that hangs or fails hides no other. The threads of those that hang end with the process.
 */
final class Questions<T> {
    private final String threads;
    private final Question<T> question;
    private final Set<XAResource> without;
    private final Map<String, FutureTask<List<Asked<T>>>> sources = new LinkedHashMap<>();

    /** What a resource is asked. */
    interface Question<T> {
        /** @param source the name of the source that has given the resource */
        T of(String source, XAResource resource) throws Exception;
    }

    private record Asked<T>(String name, XAResource resource, FutureTask<T> answer) {}

    /** @param without these resources, by identity */
    private Questions(String threads, Question<T> question, Set<XAResource> without) {
        this.threads = threads;
        this.question = question;
        this.without = without;
    }

    /**
     * Begins to ask all of them.
     *
     * @param threads the name of the threads
     * @param without resources that are not asked, by identity
     */
    static <T> Questions<T> to(
            Map<String, Source> sources, Set<XAResource> without, String threads, Question<T> question) {
        Questions<T> questions = new Questions<>(threads, question, without);
        sources.forEach((name, source) ->
                questions.sources.put(name, begun(threads, () -> questions.asked(name, source.resources()))));
        return questions;
    }

    /** A set of resources by identity: their own equals() may reach for a server. */
    static Set<XAResource> noResources() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Begins the work on a thread of its own: what a user's class does may hang. */
    static <V> FutureTask<V> begun(String threadName, Callable<V> work) {
        FutureTask<V> task = new FutureTask<>(work);
        Thread thread = StoreThread.of(task, threadName);
        // Drivers look for their classes there.
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        return task;
    }

    private List<Asked<T>> asked(String source, List<XAResource> resources) {
        List<Asked<T>> asked = new ArrayList<>();
        int number = 0;
        for (XAResource resource : resources) {
            number++;
            if (!without.contains(resource)) {
                String name = resources.size() == 1
                        ? source
                        : source + " resource " + number
                                + nameOf(resource).map(jndi -> " " + jndi).orElse("");
                asked.add(new Asked<>(name, resource, begun(threads, () -> question.of(source, resource))));
            }
        }
        return asked;
    }

    /** The name that a resource has of itself. */
    static Optional<String> nameOf(XAResource resource) {
        return resource instanceof XAResourceWrapper wrapper
                ? Optional.ofNullable(wrapper.getJndiName())
                : Optional.empty();
    }

    /**
     * The first answer, in the order of the sources, that is enough. Each one is waited for while time is left.
     *
     * @param leftNanos the time that is left, nanoseconds
     * @param problems gets the sources and resources that did not answer, with the reason
     */
    Optional<T> first(Predicate<T> isEnough, LongSupplier leftNanos, Map<String, String> problems) {
        for (Map.Entry<String, FutureTask<List<Asked<T>>>> source : sources.entrySet()) {
            Optional<List<Asked<T>>> given = answer(source.getKey(), source.getValue(), leftNanos, problems);
            for (Asked<T> resource : given.orElse(List.of())) {
                Optional<T> answer = answer(resource.name(), resource.answer(), leftNanos, problems);
                if (answer.filter(isEnough).isPresent()) {
                    return answer;
                }
            }
        }
        return Optional.empty();
    }

    private static <V> Optional<V> answer(
            String name, FutureTask<V> question, LongSupplier leftNanos, Map<String, String> problems) {
        try {
            return Optional.of(question.get(Math.max(0, leftNanos.getAsLong()), TimeUnit.NANOSECONDS));
        } catch (ExecutionException failed) {
            problems.put(name, AskedResources.text(failed.getCause()));
        } catch (TimeoutException hangs) {
            problems.put(name, "it gave no answer in time");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            problems.put(name, "it was not waited for: this command was interrupted");
        }
        return Optional.empty();
    }

    /** Whether a source has not said which resources it has. */
    boolean isWithoutAnswer(String source) {
        return !sources.get(source).isDone();
    }

    /** The resources without an answer. */
    Set<XAResource> unanswered() {
        Set<XAResource> unanswered = noResources();
        for (FutureTask<List<Asked<T>>> source : sources.values()) {
            if (source.isDone()) {
                answer("", source, () -> 0, new LinkedHashMap<>()).orElse(List.of()).stream()
                        .filter(asked -> !asked.answer().isDone())
                        .forEach(asked -> unanswered.add(asked.resource()));
            }
        }
        return unanswered;
    }
}
