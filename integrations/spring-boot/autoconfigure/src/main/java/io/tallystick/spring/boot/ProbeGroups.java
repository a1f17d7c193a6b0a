package io.tallystick.spring.boot;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.AdditionalPathsMapper;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;

/** The groups of health, in which some have one member more. */
final class ProbeGroups implements HealthEndpointGroups, AdditionalPathsMapper {
    private final HealthEndpointGroups groups;
    private final Map<String, String> added;

    /** @param added the name of the member that a group gets, by the name of the group */
    ProbeGroups(HealthEndpointGroups groups, Map<String, String> added) {
        this.groups = groups;
        this.added = added;
    }

    @Override
    public HealthEndpointGroup getPrimary() {
        return groups.getPrimary();
    }

    @Override
    public Set<String> getNames() {
        return groups.getNames();
    }

    @Override
    public HealthEndpointGroup get(String name) {
        HealthEndpointGroup group = groups.get(name);
        return group == null || !added.containsKey(name) ? group : new WithMember(group, added.get(name));
    }

    @Override
    public List<String> getAdditionalPaths(EndpointId endpointId, WebServerNamespace webServerNamespace) {
        return groups instanceof AdditionalPathsMapper mapper
                ? mapper.getAdditionalPaths(endpointId, webServerNamespace)
                : null;
    }

    private record WithMember(HealthEndpointGroup group, String member) implements HealthEndpointGroup {
        @Override
        public boolean isMember(String name) {
            return name.equals(member) || group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext securityContext) {
            return group.showComponents(securityContext);
        }

        @Override
        public boolean showDetails(SecurityContext securityContext) {
            return group.showDetails(securityContext);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
