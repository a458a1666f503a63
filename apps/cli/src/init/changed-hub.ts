import type { ClusterManager, ClusterManagerSpec, FeatureGateName, RegistrationDriverHub } from '@flotilla/api-types';
import { type ClusterManagerValues, clusterManager } from '@flotilla/install';
import { mergeValues } from '@flotilla/install/chart';
import { withGates } from '../options/feature-gates.ts';

/** What a repeated `init` is asked to change in a ClusterManager. What is absent stays as it is. */
export interface HubChanges {
  readonly featureGates: Readonly<Partial<Record<FeatureGateName, boolean>>>;
  readonly registrationDrivers?: readonly RegistrationDriverHub[];
  readonly grpcServer?: NonNullable<ClusterManagerValues['grpcServer']>;
  /** Fields of the spec, from other flags. */
  readonly fields?: Partial<ClusterManagerSpec>;
  /** Fields of the spec, from a file of values; these win. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Users that are approved too. */
  readonly users?: readonly string[];
}

/** A ClusterManager with these changes. */
export function changedHub(found: ClusterManager, changes: HubChanges): ClusterManager {
  const { spec = {} as ClusterManagerSpec } = found;
  const { featureGates: gates, fields = {}, values = {} } = changes;
  const parts = {
    registrationConfiguration: registration(spec.registrationConfiguration, changes),
    workConfiguration: withGates('hub-work', spec.workConfiguration, gates),
    addOnManagerConfiguration: withGates('hub-addon', spec.addOnManagerConfiguration, gates),
    serverConfiguration: withGates('hub-server', server(spec.serverConfiguration, changes), gates),
  };
  const present = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  return { ...found, spec: mergeValues<object>({ ...spec, ...fields, ...present }, values) as ClusterManagerSpec };
}

type Registration = ClusterManagerSpec['registrationConfiguration'];
type Server = ClusterManagerSpec['serverConfiguration'];

function registration(part: Registration, { featureGates, registrationDrivers, users = [] }: HubChanges): Registration {
  const gated = withGates('hub-registration', part, featureGates);
  const approved = [...new Set([...(part?.autoApproveUsers ?? []), ...users])];
  if (!registrationDrivers && users.length === 0) return gated;
  return {
    ...gated,
    ...(registrationDrivers && { registrationDrivers: [...registrationDrivers] }),
    ...(users.length > 0 && { autoApproveUsers: approved }),
  };
}

/** Only the endpoint of gRPC is replaced. */
function server(part: Server, { grpcServer }: HubChanges): Server {
  if (!grpcServer) return part;
  const { endpointsExposure = [] } =
    clusterManager({ registrationDrivers: [], grpcServer }).spec?.serverConfiguration ?? {};
  const others = (part?.endpointsExposure ?? []).filter(({ protocol }) => protocol === 'https');
  return { ...part, endpointsExposure: [...others, ...endpointsExposure] };
}
