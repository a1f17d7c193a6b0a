package io.tallystick.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints why the application does not start, and what to do, in place of a stack trace. */
final class StartRefusedFailureAnalyzer extends AbstractFailureAnalyzer<StartRefusedException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartRefusedException refused) {
        return new FailureAnalysis(refused.reason(), refused.remedy(), rootFailure);
    }
}
