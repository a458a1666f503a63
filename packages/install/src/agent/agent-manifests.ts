import { NamespaceName } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import type { Manifests } from '../manifests.ts';
import { namespace } from '../objects/namespace.ts';
import { type ProgramValues, programOptions } from '../objects/program-options.ts';
import { agentOptionsKey, annotatedAgentAccounts } from './agent-programs.ts';
import { type BootstrapValues, bootstrapSecret } from './bootstrap-secret.ts';
import { clusterProxyGrant } from './cluster-proxy.ts';
import { agentDefinitions } from './definitions.ts';
import { type KlusterletValues, klusterlet } from './klusterlet.ts';

/** What a cluster is joined to a hub with. */
export interface AgentValues extends KlusterletValues, BootstrapValues {
  /** How the agent runs in the cluster. */
  readonly programs?: ProgramValues;
}

/** The namespaces of agents and of add-ons. */
export const agentNamespaces = (): KubeObject[] => [
  namespace(NamespaceName.Agent),
  namespace(NamespaceName.AgentAddOn),
];

/** The objects that an agent finds on its cluster when it starts. */
export const agentObjects = (values: AgentValues): KubeObject[] => [
  ...agentNamespaces(),
  bootstrapSecret(values),
  ...(values.programs
    ? [...annotatedAgentAccounts(values.programs), programOptions(agentOptionsKey, values.programs)]
    : []),
  ...(values.featureGates?.ClusterProxy ? clusterProxyGrant() : []),
  klusterlet(values),
];

/** All that prepares a cluster for its agent. */
export const agentManifests = async (values: AgentValues): Promise<Manifests> => ({
  definitions: await agentDefinitions(),
  objects: agentObjects(values),
});
