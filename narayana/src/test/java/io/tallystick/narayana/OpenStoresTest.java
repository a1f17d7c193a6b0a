package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenStoresTest {
    @TempDir
    private Path directory;

    private final List<ObjectStore> opened = new ArrayList<>();

    // The store itself is in memory; what is tested is when it is opened and closed.
    private final OpenStores stores = new OpenStores(configuration -> {
        ObjectStore store = ObjectStores.open(configuration);
        opened.add(store);
        return store;
    });

    private StoreConfiguration.Builder inMemory() {
        return StoreConfiguration.builder().store("inmemory");
    }

    @Test
    void aPasswordIsInNoDifference() {
        StoreConfiguration one = StoreConfiguration.builder()
                .set(StoreOption.POSTGRESQL_URL, "jdbc:postgresql://db/tx?password=hush")
                .build();
        StoreConfiguration other = one.toBuilder()
                .set(StoreOption.POSTGRESQL_URL, "jdbc:postgresql://db/tx?password=other")
                .build();

        assertThat(OpenStores.differences(one, other))
                .containsExactly("tallystick.postgresql.url=jdbc:postgresql://db/tx in a part that may be secret");
    }

    @Test
    void oneDirectoryIsOpenedOnceAndClosedByTheLast() {
        StoreConfiguration configuration = inMemory().directory(directory).build();
        OpenStores.Lease first = stores.acquire(configuration);
        OpenStores.Lease second = stores.acquire(configuration);
        assertThat(opened).hasSize(1);
        assertThat(second.store()).isSameAs(first.store());
        first.release();
        first.release();
        assertThat(second.store().types()).isEmpty();
        second.release();
        assertThatThrownBy(() -> second.store().types()).isInstanceOf(StoreClosedException.class);
        stores.acquire(configuration).release();
        assertThat(opened).hasSize(2);
    }

    @Test
    void twoDirectoriesAreTwoStores() {
        OpenStores.Lease first =
                stores.acquire(inMemory().directory(directory.resolve("a")).build());
        OpenStores.Lease second =
                stores.acquire(inMemory().directory(directory.resolve("b")).build());
        assertThat(second.store()).isNotSameAs(first.store());
        first.release();
        assertThat(second.store().types()).isEmpty();
        second.release();
    }

    @Test
    void everyWayToADirectoryIsTheSameDirectoryEvenBeforeItExists() throws IOException {
        Files.createDirectory(directory.resolve("real"));
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("real"));
        List<Path> ways = List.of(
                directory.resolve("real/new/store"),
                directory.resolve("link/new/store"),
                directory.resolve("real/../real/new/./store"));
        List<OpenStores.Lease> leases = ways.stream()
                .map(way -> stores.acquire(inMemory().directory(way).build()))
                .toList();
        assertThat(opened).hasSize(1);
        leases.forEach(OpenStores.Lease::release);
    }

    @Test
    void storesWithoutADirectoryAreSharedByKind() {
        OpenStores.Lease first = stores.acquire(inMemory().build());
        OpenStores.Lease second = stores.acquire(inMemory().build());
        assertThat(second.store()).isSameAs(first.store());
        first.release();
        second.release();
    }

    @Test
    void joiningWithAnotherConfigurationIsRefusedNamingTheKeyAndBothValues() {
        OpenStores.Lease first = stores.acquire(inMemory()
                .directory(directory)
                .set("tallystick.journal.segments", "8")
                .build());
        assertThatThrownBy(() -> stores.acquire(inMemory().directory(directory).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.journal.segments=8 against 4")
                .hasMessageContaining(directory.toString());
        first.release();
        assertThatThrownBy(() -> first.store().types()).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void rolesMayDifferInHowTheyRemove() {
        OpenStores.Lease first = stores.acquire(inMemory().directory(directory).build());
        OpenStores.Lease second = stores.acquire(inMemory()
                .directory(directory)
                .set(StoreOption.REMOVE_DURABILITY, Durability.FORCED)
                .build());
        assertThat(second.store()).isSameAs(first.store());
        first.release();
        second.release();
    }

    @Test
    void whatCouldNotBeOpenedIsTriedAgain() {
        StoreConfiguration wrong =
                StoreConfiguration.builder().store("nosuchstore").build();
        assertThatThrownBy(() -> stores.acquire(wrong)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> stores.acquire(wrong)).isInstanceOf(IllegalArgumentException.class);
        assertThat(opened).isEmpty();
    }
}
