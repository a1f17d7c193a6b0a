package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.chart.StoreLook;
import io.tallystick.benchmarks.subject.Subject;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A description of each store, and the reason for each missing figure. */
final class StoresSection implements Section {
    private final Results results;
    private final MeasuredStores stores;
    private final Machine machine;

    StoresSection(MeasuredStores stores) {
        this.results = stores.results();
        this.stores = stores;
        this.machine = stores.results().machine();
    }

    @Override
    public void writeTo(PageBody page) {
        page.heading("The stores");
        page.open("div", "class", "scroll").open("table");
        page.open("tr")
                .leaf("th", "store")
                .leaf("th", "name for --store", "class", "words")
                .leaf("th", "description", "class", "words")
                .close();
        List<String> names = Stream.of(Protocol.values())
                .flatMap(protocol -> stores.all(protocol).stream())
                .distinct()
                .toList();
        for (String store : names) {
            Optional<Subject> subject = MeasuredStores.subject(store);
            page.open("tr", "class", subject.filter(Subject::isOurs).isPresent() ? "ours" : "peer");
            page.leaf("td", StoreLook.of(store).title()).leaf("td", store, "class", "words");
            String choice = machine.choices().get(store);
            page.leaf(
                    "td",
                    subject.map(Subject::description).orElse("") + (choice == null ? "" : ". Here: " + choice),
                    "class",
                    "words");
            page.close();
        }
        page.close().close().line();
        page.entries("Not measured", results.state().missing());
    }
}
