package io.tallystick.quarkus.deployment;

import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import io.tallystick.quarkus.InDoubtDevUi;

/** The page "In doubt" on the card of the extension in the Dev UI. A packaged application has nothing of it. */
@BuildSteps(onlyIf = IsLocalDevelopment.class)
class InDoubtCardProcessor {
    @BuildStep
    CardPageBuildItem card() {
        CardPageBuildItem card = new CardPageBuildItem();
        card.addPage(Page.webComponentPageBuilder()
                .title("In doubt")
                .icon("font-awesome-solid:scale-balanced")
                .componentLink("qwc-tallystick-in-doubt.js")
                .dynamicLabelJsonRPCMethodName("count"));
        return card;
    }

    @BuildStep
    JsonRPCProvidersBuildItem methods() {
        return new JsonRPCProvidersBuildItem(InDoubtDevUi.class);
    }
}
