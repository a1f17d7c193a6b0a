package io.tallystick.durability.run;

import io.tallystick.durability.Stage;
import io.tallystick.durability.postgresql.DamageStage;
import io.tallystick.durability.postgresql.FailoverStage;
import io.tallystick.durability.postgresql.FullStage;
import io.tallystick.durability.postgresql.HomesStage;
import io.tallystick.durability.postgresql.LagStage;
import io.tallystick.durability.postgresql.LostReplyStage;
import io.tallystick.durability.postgresql.OnPostgresql;
import io.tallystick.durability.postgresql.OutageStage;
import io.tallystick.durability.postgresql.PartitionStage;
import io.tallystick.durability.postgresql.PauseStage;
import io.tallystick.durability.postgresql.RelaxStage;
import io.tallystick.durability.postgresql.TakeoverStage;
import io.tallystick.durability.postgresql.ZombieStage;
import io.tallystick.durability.ring.AdoptionStage;
import io.tallystick.durability.ring.RingStage;
import io.tallystick.durability.settle.SettleStage;
import io.tallystick.durability.stage.BitsStage;
import io.tallystick.durability.stage.CorruptionStage;
import io.tallystick.durability.stage.CrashStage;
import io.tallystick.durability.stage.DelaysStage;
import io.tallystick.durability.stage.EnvironmentStage;
import io.tallystick.durability.stage.FaultsStage;
import io.tallystick.durability.stage.FileSystemsStage;
import io.tallystick.durability.stage.InterruptsStage;
import io.tallystick.durability.stage.KillStage;
import io.tallystick.durability.stage.LateWritesStage;
import io.tallystick.durability.stage.ModelStage;
import io.tallystick.durability.stage.PairwiseStage;
import io.tallystick.durability.stage.PlaceStage;
import io.tallystick.durability.stage.PowerCutStage;
import io.tallystick.durability.stage.SchedulesStage;
import io.tallystick.durability.stage.SoakStage;
import io.tallystick.durability.stage.SpaceStage;
import io.tallystick.durability.stage.SyscallsStage;
import io.tallystick.durability.stage.TornStage;
import io.tallystick.durability.surroundings.SurroundingsStage;
import java.util.List;

/** All stages, in the order of the list. */
public final class StageCatalog {
    private static final List<Stage> ALL = List.of(
            new ModelStage(),
            new CrashStage(),
            new FaultsStage(),
            new LateWritesStage(),
            new PairwiseStage(),
            new SyscallsStage(),
            new CorruptionStage(),
            new BitsStage(),
            new SchedulesStage(),
            new InterruptsStage(),
            new KillStage(),
            new DelaysStage(),
            new PowerCutStage(),
            new RingStage(),
            new AdoptionStage(),
            SettleStage.onLedgers(),
            new TornStage(),
            new SpaceStage(),
            new FileSystemsStage(),
            new EnvironmentStage(),
            new SurroundingsStage(),
            new PlaceStage(),
            new SoakStage(),
            new LostReplyStage(),
            new TakeoverStage(),
            new ZombieStage(),
            new FailoverStage(),
            new PauseStage(),
            new PartitionStage(),
            new LagStage(),
            new RelaxStage(),
            new FullStage(),
            new DamageStage(),
            new HomesStage(),
            new OutageStage(),
            SettleStage.onDatabases(),
            new OnPostgresql(new KillStage(), 2, 1_000),
            new OnPostgresql(new RingStage(), 1, 500),
            new OnPostgresql(new AdoptionStage(), 8, 500, 8),
            new OnPostgresql(SettleStage.onLedgers(), 2, 1_000));

    private StageCatalog() {}

    public static List<Stage> all() {
        return ALL;
    }

    public static Stage named(String name) {
        return ALL.stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no stage '" + name + "'; there are "
                        + ALL.stream().map(Stage::name).toList()));
    }
}
