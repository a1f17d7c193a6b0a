package io.tallystick.benchmarks.report.page;

/** A part of the page. A section without figures writes nothing. */
interface Section {
    void writeTo(PageBody page);
}
