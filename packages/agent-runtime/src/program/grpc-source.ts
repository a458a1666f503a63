import { createCloudEventsClient, createHubTransport, grpcConfigAccess } from '@flotilla/cloudevents';
import type { HubSource, WorkAgentProcess } from '@flotilla/work-agent';

/** The gRPC server of the hub, by the configuration that registration leaves in files. */
export function grpcSource({ options, clock, log }: WorkAgentProcess): HubSource {
  const access = grpcConfigAccess({ file: options.workloadSourceConfig, clock });
  return {
    access,
    connect(clusterName) {
      const hubLog = log.child({ client: 'hub' });
      const client = createCloudEventsClient({ access, clock, log: hubLog });
      const { cloudeventsClientId: workSource } = options;
      return createHubTransport({ client, clusterName, clock, log: hubLog, ...(workSource && { workSource }) });
    },
    // OCM's agents know the hub by the address as it is configured, and call what they apply by it.
    serverOf: ({ server }) => server.replace(/^https?:\/\//, ''),
  };
}
