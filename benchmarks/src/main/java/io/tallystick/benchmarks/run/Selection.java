package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.store.text.NearestName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Reads the values of {@code --store}, {@code --threads} and {@code --protocol}. Errors are one line and offer the
 * nearest valid value.
 */
public final class Selection {

    private static final String SEPARATOR = ",";
    /** A takeover and a commit must still end in the time that JMH gives them. */
    private static final int MOST_ADDED_MILLIS = 100;

    private Selection() {}

    /** Stores by name or by the name of a group, in the order of the catalogue, each once. */
    public static List<Subject> stores(List<String> texts) {
        Set<String> wanted = new LinkedHashSet<>();
        for (String name : split("--store", texts)) {
            List<String> members = Group.named(name)
                    .map(Group::members)
                    .orElseGet(() -> names().contains(name) ? List.of(name) : List.of());
            if (members.isEmpty()) {
                throw new UsageException("--store: there is no store '" + name + "'; did you mean '"
                        + NearestName.of(name, validStoreNames()) + "'? (--list shows all)");
            }
            wanted.addAll(members);
        }
        return Stream.concat(SubjectCatalog.all().stream(), SubjectCatalog.databases().stream())
                .filter(subject -> wanted.contains(subject.name()))
                .toList();
    }

    /** Thread counts, ascending, each once. */
    public static List<Integer> threads(List<String> texts) {
        List<Integer> counts = new ArrayList<>();
        for (String text : split("--threads", texts)) {
            int count = parse(text);
            if (count < 1 || count > Protocol.MOST_THREADS) {
                throw new UsageException("--threads: '" + text + "' is not a number from 1 to " + Protocol.MOST_THREADS
                        + "; did you mean '" + (count < 1 ? 1 : Protocol.MOST_THREADS) + "'?");
            }
            counts.add(count);
        }
        return counts.stream().sorted().distinct().toList();
    }

    /** Protocols, one-phase first, each once. */
    static List<Protocol> protocols(List<String> texts) {
        List<Protocol> protocols = new ArrayList<>();
        for (String text : split("--protocol", texts)) {
            if (Protocol.labels().stream().noneMatch(label -> label.equalsIgnoreCase(text))) {
                throw new UsageException("--protocol: there is no protocol '" + text + "'; did you mean '"
                        + NearestName.of(text, Protocol.labels()) + "'?");
            }
            protocols.add(Protocol.labelled(text));
        }
        return protocols.stream().sorted().distinct().toList();
    }

    /** The extra measurements that the texts name. */
    static Set<Workload.Extra> extras(List<String> texts) {
        Set<Workload.Extra> extras = EnumSet.noneOf(Workload.Extra.class);
        List<String> labels = Arrays.stream(Workload.Extra.values())
                .map(Workload.Extra::label)
                .toList();
        for (String text : texts.isEmpty() ? List.<String>of() : split("--with", texts)) {
            if (!labels.contains(text)) {
                throw new UsageException(
                        "--with: there is no '" + text + "'; did you mean '" + NearestName.of(text, labels) + "'?");
            }
            extras.add(Workload.Extra.values()[labels.indexOf(text)]);
        }
        return extras;
    }

    private static int parse(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notANumber) {
            throw new UsageException(
                    "--threads: '" + text + "' is not a number; for instance --threads 1,16,100", notANumber);
        }
    }

    private static List<String> split(String option, List<String> texts) {
        List<String> values = texts.stream()
                .flatMap(text -> List.of(text.split(SEPARATOR)).stream())
                .map(String::trim)
                .filter(text -> !text.isEmpty())
                .toList();
        if (values.isEmpty()) {
            throw new UsageException(option + " has no value; leave it out to take all");
        }
        return values;
    }

    private static List<String> validStoreNames() {
        List<String> names = new ArrayList<>(Group.names());
        names.addAll(names());
        return names;
    }

    private static List<String> names() {
        return Stream.concat(SubjectCatalog.all().stream(), SubjectCatalog.databases().stream())
                .map(Subject::name)
                .toList();
    }

    /** Milliseconds to add to round trips, ascending, each once. */
    static List<Integer> addedMillis(List<String> texts) {
        List<Integer> delays = new ArrayList<>();
        for (String text : texts.isEmpty() ? List.<String>of() : split("--latency", texts)) {
            int millis = parse(text);
            if (millis < 1 || millis > MOST_ADDED_MILLIS) {
                throw new UsageException(
                        "--latency: '" + text + "' is not a number of milliseconds from 1 to " + MOST_ADDED_MILLIS);
            }
            delays.add(millis);
        }
        return delays.stream().sorted().distinct().toList();
    }

    /** Names for several stores at once. */
    enum Group {
        /** All stores. */
        ALL("all", subject -> true),
        /** The stores of this library. */
        OURS("ours", Subject::isOurs),
        /** The stores of the peers. */
        PEERS("peers", subject -> !subject.isOurs()),
        /** The stores that survive a crash. */
        DURABLE("durable", Subject::isDurable),
        /** Every engine and I/O of our journal. */
        JOURNAL("journal", subject -> subject.name().startsWith("journal-")),
        /** The stores whose log is in a PostgreSQL database; no other group has them. */
        DATABASES("databases", Subject::isInDatabase);

        private final String label;
        private final Predicate<Subject> filter;

        Group(String label, Predicate<Subject> filter) {
            this.label = label;
            this.filter = filter;
        }

        static Optional<Group> named(String label) {
            return Arrays.stream(values())
                    .filter(group -> group.label.equals(label))
                    .findFirst();
        }

        static List<String> names() {
            return Arrays.stream(values()).map(group -> group.label).toList();
        }

        String label() {
            return label;
        }

        List<String> members() {
            return (this == DATABASES ? SubjectCatalog.databases() : SubjectCatalog.all())
                    .stream().filter(filter).map(Subject::name).toList();
        }
    }
}
