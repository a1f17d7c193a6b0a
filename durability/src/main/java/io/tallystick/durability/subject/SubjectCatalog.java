package io.tallystick.durability.subject;

import io.tallystick.durability.subject.PeerSubject.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** All stores that the stages can test: ours, then the peers. */
public final class SubjectCatalog {
    private static final Subject POSTGRESQL = new PostgresSubject();
    private static final Subject REAPER = new ReaperSubject();
    private static final List<Subject> ALL = catalog();

    private SubjectCatalog() {}

    public static List<Subject> all() {
        return ALL;
    }

    /** Our stores that need nothing but a directory. */
    public static List<Subject> ours() {
        return ALL.stream()
                .filter(Subject::isOurs)
                .filter(subject -> subject != POSTGRESQL)
                .toList();
    }

    /** Our store that needs a server. */
    public static Subject postgresql() {
        return POSTGRESQL;
    }

    /** The reaper, which is no store: no group has it. */
    public static Subject reaper() {
        return REAPER;
    }

    static List<Subject> peers() {
        return ALL.stream().filter(subject -> !subject.isOurs()).toList();
    }

    /** The subjects of these names; {@code ours}, {@code peers} and {@code all} are names of groups. */
    public static List<Subject> named(List<String> names) {
        Set<Subject> chosen = new LinkedHashSet<>();
        for (String name : names) {
            List<Subject> found =
                    switch (name) {
                        case "ours" -> ours();
                        case "peers" -> peers();
                        case "all" -> all();
                        default ->
                            Stream.of(ALL, List.of(REAPER), LyingSubject.all())
                                    .flatMap(List::stream)
                                    .filter(subject -> subject.name().equals(name))
                                    .toList();
                    };
            if (found.isEmpty()) {
                throw new IllegalArgumentException("no subject '" + name + "'; there are "
                        + ALL.stream().map(Subject::name).toList() + ", the reaper, and the groups ours, peers, all");
            }
            chosen.addAll(found);
        }
        return List.copyOf(chosen);
    }

    private static List<Subject> catalog() {
        List<Subject> subjects = new ArrayList<>();
        subjects.add(OurSubject.inMemory());
        subjects.add(OurSubject.file());
        Stream.of("channel", "direct", "aio", "uring").forEach(io -> subjects.add(OurSubject.journal("segmented", io)));
        Stream.of("channel", "direct", "aio").forEach(io -> subjects.add(OurSubject.journal("artemis", io)));
        subjects.add(POSTGRESQL);
        subjects.add(new PeerSubject("narayana-file", Kind.FILE));
        subjects.add(new PeerSubject("narayana-journal-nio", Kind.JOURNAL_NIO));
        subjects.add(new PeerSubject("narayana-journal-aio", Kind.JOURNAL_AIO));
        return List.copyOf(subjects);
    }
}
