package io.tallystick.benchmarks.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunSize;
import io.tallystick.benchmarks.run.Selection;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class SubjectCatalogTest {
    private static final Path DIRECTORY = Path.of("/data/tx");

    @Test
    void namesAreUniqueAndFoundAgain() {
        assertThat(SubjectCatalog.names()).doesNotHaveDuplicates();
        assertThat(SubjectCatalog.all()).allSatisfy(subject -> assertThat(SubjectCatalog.named(subject.name()))
                .isEqualTo(subject));
        assertThatThrownBy(() -> SubjectCatalog.named("nothing")).hasMessageContaining("no store 'nothing'");
    }

    @Test
    void everySettingOfOursIsAKeyAndAValueThatTheLibraryKnows() {
        assertThat(Selection.stores(List.of("ours"))).allSatisfy(subject -> {
            StoreConfiguration.Builder configuration = StoreConfiguration.builder();
            subject.settingsIn(DIRECTORY).forEach((key, value) -> {
                if (key.startsWith("tallystick.")) {
                    configuration.set(key, value);
                }
            });
            assertThat(configuration.build().toString())
                    .contains("tallystick.store=" + subject.name().replaceFirst("-.*", ""))
                    .contains("tallystick.remove-durability=DEFERRED");
        });
    }

    @Test
    void storesInADatabaseAreInNoGroupButTheirOwn() {
        assertThat(Selection.stores(List.of("databases"))).isEqualTo(SubjectCatalog.databases());
        assertThat(Selection.stores(List.of("all", "ours", "peers", "durable", "journal")))
                .isNotEmpty()
                .noneMatch(Subject::isInDatabase);
        assertThat(Selection.stores(List.of("narayana-jdbc,postgresql")))
                .extracting(Subject::name)
                .containsExactly("postgresql", "narayana-jdbc");
        assertThat(SubjectCatalog.names())
                .doesNotContainAnyElementsOf(
                        SubjectCatalog.databases().stream().map(Subject::name).toList());
    }

    @Test
    void storesInADatabaseGetItsAddressWhenThereIsOne() {
        assertThat(SubjectCatalog.databases()).allSatisfy(subject -> {
            assertThat(subject.jvmArguments(DIRECTORY, Path.of("/lib")))
                    .isNotEmpty()
                    .noneMatch(argument -> argument.contains("${"));
            assertThat(subject.settingsOf("127.0.0.1:5432/bench"))
                    .hasSize(1)
                    .allSatisfy((key, value) -> assertThat(value).contains("jdbc:postgresql://127.0.0.1:5432/bench"));
        });
    }

    @Test
    void onlyAStoreWithAStandbyDemandsOne() {
        assertThat(SubjectCatalog.named("postgresql").settings())
                .containsEntry("tallystick.require-replication", "none");
        assertThat(SubjectCatalog.named("postgresql-standby").settings())
                .containsEntry("tallystick.require-replication", "standby");
    }

    @Test
    void durableStoresAreAllPutIntoTheDirectory() {
        assertThat(Selection.stores(List.of("durable")))
                .allSatisfy(subject -> assertThat(ForkedJvm.arguments(subject, DIRECTORY, Path.of("/lib")))
                        .anyMatch(argument -> argument.endsWith("=" + DIRECTORY)));
    }

    @Test
    void nativeLibraryIsOnThePathOfThoseThatNeedItOnly() {
        assertThat(SubjectCatalog.all()).allSatisfy(subject -> assertThat(
                        subject.jvmArguments(DIRECTORY, Path.of("/lib")).contains("-Djava.library.path=/lib"))
                .isEqualTo(subject.name().contains("-journal-aio")));
    }

    @Test
    void tunedPeersNeitherWaitForTheirTimerNorForRemoves() {
        assertThat(SubjectCatalog.named("narayana-journal-nio-tuned").settings())
                .containsEntry("HornetqJournalEnvironmentBean.bufferFlushesPerSecond", "1000000000")
                .containsEntry("HornetqJournalEnvironmentBean.syncDeletes", "false")
                .containsEntry("HornetqJournalEnvironmentBean.asyncIO", "false");
        assertThat(SubjectCatalog.named("narayana-journal-nio").settings())
                .doesNotContainKey("HornetqJournalEnvironmentBean.bufferFlushesPerSecond")
                .doesNotContainKey("HornetqJournalEnvironmentBean.syncDeletes");
    }

    @Test
    void quickRunTakesStoresThatExist() {
        assertThat(SubjectCatalog.names()).containsAll(RunSize.ONE_OF_EACH);
    }
}
