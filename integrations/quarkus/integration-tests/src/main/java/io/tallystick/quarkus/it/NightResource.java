package io.tallystick.quarkus.it;

import io.smallrye.common.annotation.Blocking;
import io.tallystick.narayana.night.Night;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.config.ConfigProvider;

/** A bad night of the application. */
@Path("/night")
@Produces(MediaType.TEXT_PLAIN)
@Blocking
public class NightResource {
    /** The directory of the resources, below the one of the run. */
    public static final String RESOURCES = "resources";

    /** Leaves a transaction of each kind. */
    @POST
    public String fall() throws Exception {
        return String.join("\n", Night.fall(resources()));
    }

    /** The parent of the imported one tells its decision. */
    @POST
    @Path("imported")
    public String commitImported() throws Exception {
        Night.commitImported(resources());
        return "committed";
    }

    private static java.nio.file.Path resources() {
        return ConfigProvider.getConfig()
                .getValue("run.directory", java.nio.file.Path.class)
                .resolve(RESOURCES);
    }
}
