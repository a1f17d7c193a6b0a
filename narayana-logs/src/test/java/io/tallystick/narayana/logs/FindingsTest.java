package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Each finding once, in the order in which it came. */
class FindingsTest {
    @Test
    void whatIsFoundTwiceIsKeptOnce() {
        Findings findings = new Findings();
        findings.damage("b", "torn");
        findings.damage("a", "torn");
        findings.damage("b", "torn");
        findings.remark("a", "empty");
        findings.remark("a", "empty");

        assertThat(findings.damages()).extracting(Findings.Finding::place).containsExactly("b", "a");
        assertThat(findings.remarks()).hasSize(1);
    }

    @Test
    void whereOnlyDamagesCountNoRemarkIsKept() {
        Findings findings = Findings.ofDamages();
        findings.damage("a", "torn");
        findings.remark("a", "empty");

        assertThat(findings.damages()).hasSize(1);
        assertThat(findings.remarks()).isEmpty();
    }
}
