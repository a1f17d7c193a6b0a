package io.tallystick.durability;

import java.util.List;

/** Every stage, in the order in which they are listed. */
final class StageCatalog {
    private static final List<Stage> ALL = List.of(
            new ModelStage(),
            new CrashStage(),
            new FaultsStage(),
            new SyscallsStage(),
            new CorruptionStage(),
            new BitsStage(),
            new SchedulesStage(),
            new InterruptsStage(),
            new KillStage(),
            new PowerCutStage(),
            new RingStage(),
            new TornStage(),
            new SpaceStage(),
            new EnvironmentStage());

    private StageCatalog() {}

    static List<Stage> all() {
        return ALL;
    }

    static Stage named(String name) {
        return ALL.stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no stage '" + name + "'; there are "
                        + ALL.stream().map(Stage::name).toList()));
    }
}
