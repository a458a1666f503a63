import { NamespaceName } from '@flotilla/api-types';
import {
  registrationAgentAccess,
  registrationAgentDeployment,
  singletonAgentAccess,
  singletonAgentDeployment,
  workAgentAccess,
  workAgentDeployment,
  workPayloads,
} from '../agent/agent-programs.ts';
import { clusterProxyGrant } from '../agent/cluster-proxy.ts';
import { metricsReader } from '../objects/metrics-reader.ts';
import { namespace } from '../objects/namespace.ts';
import type { ManifestFile } from './manifest-file.ts';

interface AgentFileValues {
  readonly image: string;
}

const shared: readonly ManifestFile[] = [
  { name: 'namespace.yaml', comment: [], objects: [namespace(NamespaceName.Agent)] },
  {
    name: 'work-payloads.yaml',
    comment: [
      'What works may contain, as OCM grants it: what the ClusterRole admin grants, and the kinds below. Grant more by ClusterRoles',
      'with the label open-cluster-management.io/aggregate-to-work: "true"; grant less by leaving out this file.',
      'A kind that the agent may change but not list and watch is read every --status-sync-interval.',
    ],
    objects: workPayloads(),
  },
  {
    name: 'metrics-reader.yaml',
    comment: ['Bind this to what scrapes the metrics of the agent, for example the service account of Prometheus.'],
    objects: [metricsReader()],
  },
];

const bootstrapComment = [
  'The Secret bootstrap-hub-kubeconfig, which `flotilla join` creates, has the kubeconfig with which this cluster requests to join,',
  'and its name.',
];

/** The manifests that run an agent in a cluster, a Deployment for each of its parts. */
export const agentFiles = (values: AgentFileValues): ManifestFile[] => [
  ...shared,
  {
    name: 'rbac.yaml',
    comment: ['What the registration agent may do on the managed cluster.'],
    objects: registrationAgentAccess(),
  },
  { name: 'registration.yaml', comment: bootstrapComment, objects: [registrationAgentDeployment(values)] },
  {
    name: 'work-rbac.yaml',
    comment: [
      'What the work agent may do on the managed cluster besides applying works, for which work-payloads.yaml is.',
    ],
    objects: workAgentAccess(),
  },
  {
    name: 'work.yaml',
    comment: ['It reads the identity that the registration agent stores in the Secret hub-kubeconfig-secret.'],
    objects: [workAgentDeployment(values)],
  },
];

/** The manifests that run an agent in one process in a cluster. */
export const singletonFiles = (values: AgentFileValues): ManifestFile[] => [
  ...shared,
  {
    name: 'rbac.yaml',
    comment: ['What the agent may do on the managed cluster besides applying works, for which work-payloads.yaml is.'],
    objects: singletonAgentAccess(),
  },
  { name: 'agent.yaml', comment: bootstrapComment, objects: [singletonAgentDeployment(values)] },
];

/** What an agent with the feature gate ClusterProxy needs beside them. */
export const agentProxyFiles = (): ManifestFile[] => [
  {
    name: 'rbac.yaml',
    comment: [
      'For agents with --feature-gates=ClusterProxy=true: lets users of the hub reach this cluster as themselves. Grant less by',
      'resourceNames of users and groups. What these may do is decided by the roles of this cluster. Users and groups of the hub whose',
      'names begin with system: have the prefix cluster:hub: here.',
    ],
    objects: clusterProxyGrant(),
  },
];
