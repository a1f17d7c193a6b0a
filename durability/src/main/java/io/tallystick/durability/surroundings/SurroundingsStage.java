package io.tallystick.durability.surroundings;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.Ballast;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LoopVolume;
import io.tallystick.durability.system.LoopVolume.Kind;
import io.tallystick.testkit.Seeds;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A directory in which a store has one to eight lives, or twelve. Each life is a process in a world of its own: another
 * locale,
 * encoding, umask, user, working directory, limit, clock or room, and other options than the life before. It ends by a
 * kill while it opens, grows, works or rests, or by a close. The oracle is in this process and follows all lives.
 */
public final class SurroundingsStage implements Stage {
    private static final long VOLUME_BYTES = 48L << 20;
    private static final int CASES_ON_VOLUME = 3; // one of so many

    @Override
    public String name() {
        return "surroundings";
    }

    @Override
    public String description() {
        return "lives of a store under changing locales, users, limits, clocks, room and options, killed or closed";
    }

    @Override
    public String unit() {
        return LivesOfStore.LIVES;
    }

    @Override
    public long quickCount() {
        return 80;
    }

    @Override
    public long fullCount() {
        return 5_000;
    }

    @Override
    public List<String> limitations() {
        return Machine.look().limitations();
    }

    @Override
    public List<Subject> subjects() {
        return SubjectCatalog.named(
                List.of("file", "journal-segmented-channel", "journal-segmented-direct", "journal-artemis-channel"));
    }

    @Override
    public int weight(Subject subject) {
        return subject.name().startsWith("journal-segmented-") ? 2 : 1;
    }

    @Override
    public int patienceSeconds() {
        return 300;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) && subject.is(Trait.ANY_DISK) && subject instanceof ConfiguredSubject
                ? Optional.empty()
                : Optional.of("it is no store of ours in a directory that uses the disk that it is given");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Lives((ConfiguredSubject) subject);
    }

    /** Cases on one store. */
    private static final class Lives implements Session {
        private final ConfiguredSubject subject;
        private final Machine machine = Machine.look();
        // Not the scratch directory: other users may not reach it.
        private final Path home = Files.createTempDirectory("tallystick-surroundings-");
        private final LifeCommand commands;
        private final Optional<LoopVolume> volume;

        Lives(ConfiguredSubject subject) throws IOException {
            this.subject = subject;
            Files.setAttribute(home, "unix:mode", 0755);
            Path classes = Files.createDirectory(home.resolve("classes"));
            String classPath = ReachableClasses.classPath(machine, classes);
            if (subject instanceof PlantedSubject planted) {
                Path bug = Files.createDirectory(home.resolve("planted"));
                planted.classes().writeTo(bug);
                LoopVolume.run(List.of("chmod", "-R", "a+rX", bug.toString()));
                classPath = bug + File.pathSeparator + classPath;
            }
            commands = new LifeCommand(machine, classPath, home);
            if (machine.hasVolume()) {
                volume = Optional.of(LoopVolume.make(Kind.EXT4, VOLUME_BYTES, List.of("-m", "0")));
                volume.get().mount("defaults");
                // Only its owner reaches the directory above the mounted one.
                Files.setAttribute(volume.get().directory().getParent(), "unix:mode", 0711);
            } else {
                volume = Optional.empty();
            }
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed + subject.name().hashCode() * 1_000_003L); // other lives for each store
            boolean isOnVolume = random.nextInt(CASES_ON_VOLUME) == 0 && volume.isPresent();
            Path root = isOnVolume ? volume.get().directory() : home;
            Path parent = Files.createDirectory(root.resolve("case-" + seed));
            try {
                if (!isOnVolume) {
                    return new LivesOfStore(subject, machine, commands, parent, Optional.empty(), random).run();
                }
                try (Ballast ballast = new Ballast(root.resolve("ballast"))) {
                    return new LivesOfStore(subject, machine, commands, parent, Optional.of(ballast), random).run();
                }
            } finally {
                Files.deleteIfExists(root.resolve("ballast"));
                Directories.delete(parent);
            }
        }

        @Override
        public void close() throws IOException {
            if (volume.isPresent()) {
                volume.get().close();
            }
            Directories.delete(home);
        }
    }
}
