package io.tallystick.durability.settle;

import io.tallystick.durability.Counts;
import io.tallystick.durability.settle.ResourceManagers.Place;
import io.tallystick.durability.settle.ResourceManagers.Seen;
import io.tallystick.durability.settle.ResourceManagers.State;
import io.tallystick.durability.settle.SettleModel.Transaction;
import io.tallystick.durability.settle.SettleModel.Truth;
import io.tallystick.durability.settle.Workers.Answer;
import io.tallystick.durability.settle.Workers.Kill;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One history: the node's life and death, what becomes of its log meanwhile, some commands, and at last everything that
 * an operator can do to end what can end.
 *
 * <p>The operator is random and often wrong.
 */
final class SettleHistory {
    // The statuses of the commands, as docs/in-doubt.md, docs/recover-node.md and docs/tool.md have them.
    private static final int DONE = 0;
    private static final int IN_DOUBT = 4;
    private static final int UNANSWERED = 5;
    private static final Set<Integer> OF_RECOVERY = Set.of(DONE, IN_DOUBT, UNANSWERED);

    private static final int MOST_TRANSACTIONS = 4;
    private static final int MOST_STRANGERS = 2;
    private static final int MOST_STEPS = 8;
    private static final int MOST_ENDINGS = 12;
    private static final int DEADLY_HISTORIES = 8;
    private static final int DEADLY_HISTORIES_IN_DATABASE = 2;
    private static final int KILLED_LIVES = 2;
    private static final int KILLED_COMMANDS = 4;
    private static final int KILLED_COMMANDS_ON_DATABASES = 2;
    private static final int MOST_KILL_MILLIS = 200;
    private static final int TIMEOUT_MILLIS = 200;
    private static final int MOST_DOUBLED = 6;
    private static final List<String> STEPS_OF_LIFE =
            List.of("before prepare", "after prepare", "before commit", "after commit", "after transaction");
    private static final List<String> STEPS_OF_COMMANDS =
            List.of("before commit", "after commit", "before rollback", "after rollback");

    private final Random random;
    // Whether processes are killed: a new one takes longer than a history without a kill.
    private final boolean isDeadly;
    private final TamperedLog tampered;
    private final Path directory;
    private final HistoryLog log;
    private final Path keepIn;
    private final ResourceManagers managers;
    private final Workers workers;
    private final Orders orders;
    private final SettleModel model = new SettleModel();
    private final Map<String, Plan> plans = new HashMap<>();
    private final Map<String, String> labelsByUid = new HashMap<>();
    private final Set<String> down = new HashSet<>();
    private final List<String> trace = new ArrayList<>();
    private int timeoutMillis = TIMEOUT_MILLIS;
    private RecordsOnDisk records;
    private Counts counts = Counts.of(SettleStage.HISTORIES, 1);

    /**
     * @param lasting processes for a history without a kill
     * @param mortal those for one with kills
     */
    SettleHistory(
            long seed, HistoryLog log, Path directory, ResourceManagers managers, Workers lasting, Workers mortal) {
        this.random = Seeds.random(seed);
        this.isDeadly = !managers.canBeDown()
                || random.nextInt(log.isInDatabase() ? DEADLY_HISTORIES_IN_DATABASE : DEADLY_HISTORIES) == 0;
        this.directory = directory;
        this.keepIn = directory.resolve(SettleStage.KEEP_IN);
        this.log = log;
        this.tampered = new TamperedLog(log);
        this.managers = managers;
        this.workers = isDeadly ? mortal : lasting;
        this.orders = new Orders(random, managers, log, keepIn);
    }

    Counts run() throws IOException, InterruptedException {
        try {
            Files.createDirectories(keepIn);
            live();
            for (int i = 3 + random.nextInt(MOST_STEPS - 2); i > 0; i--) {
                step();
            }
            settleAll();
            return counts;
        } catch (AssertionError broken) {
            throw new AssertionError(broken.getMessage() + "\n" + String.join("\n", trace), broken);
        }
    }

    // ---- the node

    private void live() throws IOException, InterruptedException {
        boolean isKilled = isDeadly && random.nextInt(KILLED_LIVES) == 0;
        List<String> words = new ArrayList<>(List.of(Worker.LIFE));
        boolean isAnyImported = false;
        for (int i = 1 + random.nextInt(MOST_TRANSACTIONS); i > 0; i--) {
            Plan plan = Plan.of(random, "t" + i, managers.names().size());
            if (plan.fate() == Plan.Fate.IMPORTED && (isKilled || isAnyImported)) {
                plan = new Plan(plan.label(), Plan.Fate.SILENT, plan.resources(), plan.at(), 0, true);
            }
            isAnyImported |= plan.fate() == Plan.Fate.IMPORTED;
            plans.put(plan.label(), plan);
            words.add(plan.text());
            count("fate=" + plan.fate());
        }
        Kill kill = isKilled
                ? Kill.at(STEPS_OF_LIFE.get(random.nextInt(STEPS_OF_LIFE.size())), 1 + random.nextInt(5))
                : Kill.NEVER;
        Answer answer = order(kill, words);
        if (!answer.isKilled() && answer.status() != DONE) {
            throw new AssertionError("the node does not live: " + answer.text());
        }
        judge(answer.isKilled());
        tamper();
        addStrangers();
        model.begin(branches());
        check();
    }

    /** Knows from the plans, and after a kill from the disk, what was decided. */
    private void judge(boolean isKilled) throws IOException {
        readRecords();
        Path labels = directory.resolve(NodeLife.LABELS);
        if (Files.exists(labels)) {
            for (String line : Files.readAllLines(labels)) {
                String[] parts = line.split(" ");
                labelsByUid.put(parts[0], parts[1]);
            }
        }
        Set<String> committed = new HashSet<>();
        branches().forEach((place, seen) -> {
            if (seen.state() == State.COMMITTED) {
                committed.add(place.label());
            }
        });
        labelsByUid.forEach((uid, label) -> {
            Truth truth =
                    switch (plans.get(label).fate()) {
                        case ORPHAN, ABORTED -> Truth.ROLLBACK;
                        case HEURISTIC ->
                            plans.get(label).turnsRound() || isKilled && !isDecided(uid, label, committed)
                                    ? Truth.ROLLBACK
                                    : Truth.COMMIT;
                        case IMPORTED -> Truth.NOBODY_HERE;
                        default -> !isKilled || isDecided(uid, label, committed) ? Truth.COMMIT : Truth.ROLLBACK;
                    };
            model.add(label, new Transaction(truth == Truth.NOBODY_HERE ? recordOfImported() : uid, truth));
        });
    }

    private boolean isDecided(String uid, String label, Set<String> committed) {
        return committed.contains(label) || records.isInLog(uid);
    }

    /** The Uid of the record of the only imported transaction: its branches have that of its parent. */
    private String recordOfImported() {
        return records.log().entrySet().stream()
                .filter(each -> each.getValue().type().contains("Subordinate"))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new AssertionError("an imported transaction was prepared, and has no record"));
    }

    /** Does to records what Narayana's expiry scanner does, and what makes them unreadable. */
    private void tamper() throws IOException {
        records.log().forEach((uid, key) -> {
            Plan plan = plans.get(labelsByUid.getOrDefault(uid, ""));
            if (plan != null && plan.fate() == Plan.Fate.GIVEN_UP) {
                tampered.giveUp(key);
            } else if (plan != null && plan.fate() == Plan.Fate.UNREADABLE) {
                tampered.cut(key);
            }
        });
        readRecords();
    }

    /** Branches that are no business of this node, at its resources. */
    private void addStrangers() throws IOException {
        for (int i = random.nextInt(MOST_STRANGERS + 1); i > 0; i--) {
            BranchXid xid =
                    switch (random.nextInt(3)) {
                        case 0 -> BranchXid.ofNode(random, "orders-2");
                        case 1 -> BranchXid.ofNode(random, SettleStage.NODE, "orders-2");
                        default -> BranchXid.ofAnotherManager(random);
                    };
            String label = "s" + i;
            boolean isOfNode = xid.global()
                    .endsWith(
                            BranchXid.ofNode(random, SettleStage.NODE).global().substring(2 * BranchXid.UID_BYTES));
            model.add(label, new Transaction(xid.uid(), isOfNode ? Truth.ROLLBACK_BY_RECOVERY : Truth.NOBODY_HERE));
            labelsByUid.put(xid.uid(), label);
            managers.prepare(any(managers.names()), xid, label);
        }
    }

    // ---- the operator

    private void step() throws IOException, InterruptedException {
        if (managers.canBeDown() && random.nextInt(6) == 0) {
            toggle(any(managers.names()));
        }
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> audit();
            case 3, 4 -> forget();
            case 5, 6, 7 -> settle();
            case 8 -> recover();
            case 9 -> bringBack();
            case 10 -> restart();
            default -> both();
        }
    }

    private void toggle(String name) throws IOException {
        boolean isDown = down.add(name);
        if (!isDown) {
            down.remove(name);
        }
        managers.setDown(name, isDown);
        trace.add(name + (isDown ? " is down" : " is up"));
    }

    private void audit() throws IOException, InterruptedException {
        count("command=audit");
        HistoryLog.Changes changes = log.remembered();
        Map<Place, Seen> branches = branches();
        Answer answer = order(kill(), orders.auditing());
        changes.first().ifPresent(difference -> {
            throw new AssertionError("an audit has changed the log: " + difference);
        });
        if (!branches.equals(branches())) {
            throw new AssertionError("an audit has changed a branch");
        }
        if (!answer.isKilled()) {
            checkAudit(answer);
        }
    }

    private void checkAudit(Answer answer) {
        Set<Integer> allowed = down.isEmpty() ? Set.of(DONE, IN_DOUBT) : Set.of(UNANSWERED);
        if (!allowed.contains(answer.status())) {
            throw new AssertionError("an audit ends with status " + answer.status() + ":\n" + answer.text());
        }
        Map<String, String> findings = AuditFindings.byXid(answer.text());
        for (Place place : model.prepared()) {
            if (!down.contains(place.resource())) {
                String xid = model.at(place).xid().orElseThrow().toString();
                String found = findings.getOrDefault(xid, "");
                if (!expectedFindings(place).contains(found)) {
                    throw new AssertionError("an audit calls a branch '" + found + "' instead of "
                            + expectedFindings(place) + ": " + model.described(place) + "\n" + answer.text());
                }
            }
        }
        if (answer.status() == DONE && !model.inDoubt().isEmpty()) {
            throw new AssertionError("an audit finds nothing in doubt, and branches are: " + model.inDoubt());
        }
    }

    private Set<String> expectedFindings(Place place) {
        Transaction transaction = model.of(place);
        String uid = transaction.uid();
        if (records.isGivenUp(uid)) {
            return Set.of("given-up-branch");
        }
        if (records.isInLog(uid)) {
            return Set.of("decided", "not-retried");
        }
        if (transaction.truth() != Truth.COMMIT && transaction.truth() != Truth.ROLLBACK) {
            // Foreign branches are counted, and not listed.
            return records.isKept(uid) ? Set.of("", "kept-aside") : Set.of("");
        }
        return Set.of(records.isKept(uid) ? "kept-aside" : "orphan");
    }

    private void forget() throws IOException, InterruptedException {
        if (records.log().isEmpty()) {
            return;
        }
        count("command=forget");
        StateKey key = any(List.copyOf(records.log().values()));
        String uid = key.id().toString();
        boolean mayBeForgotten = !tampered.isCut(uid) || records.isGivenUp(uid);
        Answer answer = order(kill(), orders.forgetting(key));
        if (answer.isKilled()) {
            return;
        }
        if (answer.status() == DONE && !mayBeForgotten) {
            throw new AssertionError("a record was forgotten that nobody can read, and that was not given up");
        }
        if (records.isInLog(uid) != (answer.status() != DONE)) {
            throw new AssertionError("forget ended with status " + answer.status() + ", and the record is in the log: "
                    + records.isInLog(uid) + "\n" + answer.text());
        }
        if (answer.status() == DONE && trailLines("action=forget", uidText(uid)) == 0) {
            throw new AssertionError("a record was forgotten, and the trail does not say so: " + uidText(uid));
        }
        List<Place> left = model.prepared().stream()
                .filter(place -> model.of(place).uid().equals(uid))
                .toList();
        // The worst that an operator can do: the decision is in the quarantine alone.
        if (answer.status() == DONE && !left.isEmpty() && random.nextBoolean()) {
            settle(any(left), any(List.of(State.COMMITTED, State.ROLLED_BACK)), true, kill());
        }
    }

    private void settle() throws IOException, InterruptedException {
        List<Place> known = model.places().stream()
                .filter(place -> model.at(place).xid().isPresent())
                .toList();
        if (known.isEmpty()) {
            return;
        }
        Place place = any(known);
        // Often the right one: otherwise few of them would end anything.
        State outcome = random.nextBoolean() ? rightOutcome(place) : any(List.of(State.COMMITTED, State.ROLLED_BACK));
        settle(place, outcome, random.nextInt(8) > 0, kill());
    }

    private void settle(Place place, State outcome, boolean isYes, Kill kill) throws IOException, InterruptedException {
        count("command=settle");
        boolean isRight = isYes && isRight(place, outcome);
        BranchXid xid = model.at(place).xid().orElseThrow();
        State before = model.at(place).state();
        int linesBefore = trailLines(xid.toString(), "");
        Answer answer = order(kill, orders.settling(xid, outcome, isYes));
        State after = model.at(place).state();
        int lines = trailLines(xid.toString(), "") - linesBefore;
        if (before != after && trailLines(xid.toString(), "outcome=begun") == 0) {
            throw new AssertionError(
                    "a branch was ended by hand, and the trail has no line of it: " + model.described(place));
        }
        if (answer.isKilled()) {
            return;
        }
        boolean mayRefuse = isRight && isHazard(place) && answer.status() == IN_DOUBT;
        if (isRight != (answer.status() == DONE) && !mayRefuse) {
            throw new AssertionError("SettleBranch " + outcome + " ends with status " + answer.status() + ", and it is "
                    + (isRight ? "right" : "wrong") + ": " + model.described(place) + "\n" + answer.text());
        }
        if (answer.status() == DONE && (after != outcome || lines != 2)) {
            throw new AssertionError("SettleBranch says that " + outcome + " is done, and the branch is " + after
                    + ", with lines=" + lines + " in the trail: " + model.described(place));
        }
        if (answer.status() == DONE) {
            count("settled");
        }
    }

    /** The outcome that was decided of a branch. */
    private State rightOutcome(Place place) {
        return model.of(place).truth() == Truth.COMMIT ? State.COMMITTED : State.ROLLED_BACK;
    }

    /** Whether SettleBranch must end the branch so; otherwise it must refuse. */
    private boolean isRight(Place place, State outcome) {
        Transaction transaction = model.of(place);
        boolean isProven = records.isInLog(transaction.uid())
                ? !tampered.isCut(transaction.uid())
                : transaction.truth() == Truth.ROLLBACK && !records.isKept(transaction.uid());
        return model.at(place).state() == State.PREPARED
                && !down.contains(place.resource())
                && (transaction.truth() == Truth.COMMIT || transaction.truth() == Truth.ROLLBACK)
                && outcome == rightOutcome(place)
                && isProven;
    }

    private void recover() throws IOException, InterruptedException {
        recover(kill());
    }

    private Answer recover(Kill kill) throws IOException, InterruptedException {
        count("command=recover");
        Answer answer = order(kill, orders.recovering(timeoutMillis));
        if (answer.isKilled()) {
            return answer;
        }
        if (!OF_RECOVERY.contains(answer.status())) {
            throw new AssertionError("RecoverNode ends with status " + answer.status() + ":\n" + answer.text());
        }
        if (answer.status() == DONE && !(down.isEmpty() && model.inDoubt().isEmpty())) {
            throw new AssertionError("RecoverNode says that nothing is left; down=" + down + ", prepared="
                    + model.inDoubt() + "\n" + answer.text());
        }
        return answer;
    }

    private void restart() throws IOException, InterruptedException {
        count("command=restart");
        Answer answer = order(kill(), orders.restarting());
        if (!answer.isKilled() && answer.status() != DONE) {
            throw new AssertionError("the node does not start: " + answer.text());
        }
        Set<String> seen = answer.seen();
        if (!answer.isKilled() && !seen.equals(records.log().keySet())) {
            throw new AssertionError("the node shows " + seen + " in doubt, and its log has "
                    + records.log().keySet());
        }
    }

    private void bringBack() throws IOException, InterruptedException {
        List<Path> files = Stream.of(records.quarantined(), records.kept())
                .flatMap(each -> each.values().stream())
                .flatMap(List::stream)
                .sorted()
                .toList();
        if (!files.isEmpty()) {
            count("command=import");
            order(kill(), orders.importing(any(files)));
        }
    }

    private void both() throws IOException, InterruptedException {
        count("command=two at once");
        List<String> first = anyOrder();
        List<String> second = anyOrder();
        List<Answer> answers = workers.both(directory, first, second);
        trace.add(first + " and " + second + " -> "
                + answers.stream().map(Answer::status).toList());
        check();
    }

    private List<String> anyOrder() {
        List<List<String>> choices = new ArrayList<>(List.of(orders.auditing(), orders.recovering(timeoutMillis)));
        records.log().values().forEach(key -> choices.add(orders.forgetting(key)));
        model.prepared()
                .forEach(place -> choices.add(orders.settling(
                        model.at(place).xid().orElseThrow(), any(List.of(State.COMMITTED, State.ROLLED_BACK)), true)));
        return any(choices);
    }

    // ---- the end

    private void settleAll() throws IOException, InterruptedException {
        trace.add("settling all");
        for (String name : List.copyOf(down)) {
            toggle(name);
        }
        audit(Kill.NEVER);
        bringAllBack();
        tampered.mend();
        readRecords();
        for (Place place : model.inDoubt()) {
            boolean isLeftToPeople =
                    records.isGivenUp(model.of(place).uid()) || isHeuristic(place) || random.nextInt(4) == 0;
            if (isLeftToPeople && model.at(place).state() == State.PREPARED) {
                settle(place, rightOutcome(place), true, Kill.NEVER);
            }
        }
        String said = "";
        for (int i = 0; i < MOST_ENDINGS && !unended().isEmpty(); i++) {
            timeoutMillis = TIMEOUT_MILLIS << Math.min(i, MOST_DOUBLED);
            said = recover(Kill.NEVER).text();
        }
        if (!unended().isEmpty()) {
            throw new AssertionError("what can end has not ended: " + said
                    + unended().stream().map(model::described).toList());
        }
        audit(Kill.NEVER);
        count("branches", model.places().size());
    }

    /** What must end: all but the branches whose record does not tell what was decided. */
    private List<Place> unended() {
        return model.inDoubt().stream()
                .filter(place ->
                        !(isHazard(place) && records.isInLog(model.of(place).uid())))
                .toList();
    }

    private boolean isHazard(Place place) {
        Plan plan = plans.get(place.label());
        return plan != null && plan.isHazard();
    }

    private boolean isHeuristic(Place place) {
        Plan plan = plans.get(place.label());
        return plan != null && (plan.fate() == Plan.Fate.HEURISTIC || plan.fate() == Plan.Fate.ABORTED);
    }

    private void audit(Kill kill) throws IOException, InterruptedException {
        Answer answer = order(kill, orders.auditing());
        checkAudit(answer);
    }

    /** Imports each record that was kept of a branch that is prepared. */
    private void bringAllBack() throws IOException, InterruptedException {
        for (Place place : model.prepared()) {
            String uid = model.of(place).uid();
            StringBuilder said = new StringBuilder();
            for (Path file : records.keptFiles(uid)) {
                if (!records.isInLog(uid)) {
                    said.append(order(Kill.NEVER, orders.importing(file)).text());
                }
            }
            if (records.isKept(uid) && !records.isInLog(uid)) {
                throw new AssertionError(
                        "a record that was kept does not come back: " + model.described(place) + "\n" + said);
            }
        }
    }

    // ---- orders

    private Kill kill() {
        int share = managers.canBeDown() ? KILLED_COMMANDS : KILLED_COMMANDS_ON_DATABASES;
        if (!isDeadly || random.nextInt(share) > 0) {
            return Kill.NEVER;
        }
        return managers.canBeDown() && random.nextInt(3) == 0
                ? Kill.at(any(STEPS_OF_COMMANDS), 1 + random.nextInt(2))
                : Kill.after(random.nextInt(MOST_KILL_MILLIS));
    }

    private Answer order(Kill kill, List<String> words) throws IOException, InterruptedException {
        Answer answer = workers.order(directory, kill, words);
        trace.add(kill + String.join(" ", words).replace(directory.toString(), "DIR") + " -> " + answer.status()
                + (words.get(0).equals(Worker.TOOL) && answer.status() != DONE
                        ? " " + answer.text().strip()
                        : ""));
        if (answer.isKilled()) {
            count("kills");
            if (!managers.canBeDown() || log.isInDatabase()) {
                workers.end();
            }
            managers.awaitEndOfKilled();
            log.awaitEndOfKilled();
            if (kill.isNever()) {
                throw new AssertionError("a command has ended its process");
            }
        }
        if (!words.get(0).equals(Worker.LIFE)) {
            check();
        }
        return answer;
    }

    // ---- what is there

    private void check() throws IOException {
        readRecords();
        model.check(branches(), records);
    }

    private void readRecords() throws IOException {
        records = RecordsOnDisk.of(log.inspection(), directory.resolve(SettleStage.STORE), keepIn);
    }

    private Map<Place, Seen> branches() throws IOException {
        return managers.branches(labelsByUid);
    }

    /** The lines of both trails that have both texts. */
    private int trailLines(String one, String other) throws IOException {
        int lines = 0;
        for (Path place : List.of(SettledTrail.directoryIn(directory.resolve(SettleStage.STORE)), keepIn)) {
            Path trail = place.resolve(SettledTrail.FILE_NAME);
            if (Files.exists(trail)) {
                for (String line : Files.readAllLines(trail)) {
                    lines += line.contains(one) && line.contains(other) ? 1 : 0;
                }
            }
        }
        return lines;
    }

    private static String uidText(String uid) {
        return NarayanaUid.text(ObjectId.parse(uid));
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private void count(String what) {
        count(what, 1);
    }

    private void count(String what, int more) {
        counts = counts.and(what, more);
    }
}
