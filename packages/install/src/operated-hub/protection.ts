import { Label } from '@flotilla/api-types';
import type { Deployment, NetworkPolicy, PodDisruptionBudget } from '@flotilla/kube/kinds';

/** What the cluster does to the pods of a program: drains one at a time, and admits connections to their declared ports alone. */
export const protectionOf = (program: Deployment): [PodDisruptionBudget, NetworkPolicy] => [
  disruptionBudget(program),
  networkPolicy(program),
];

const selectorOf = ({ spec }: Deployment) => ({ matchLabels: { ...spec?.selector.matchLabels } });

const metadataOf = ({ metadata }: Deployment) => ({
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
  labels: { [Label.App]: metadata?.name ?? '' },
});

/**
 * With one replica, a drain may take it: a budget that no drain can meet would hold up the maintenance of nodes. So would pods that
 * crash, unless they may always be evicted.
 */
const disruptionBudget = (program: Deployment): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadataOf(program),
  spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: selectorOf(program) },
});

/**
 * API servers and Prometheus call from addresses that the operator cannot know, so that callers are not restricted. Programs connect
 * to API servers anywhere, so that egress is not either.
 */
const networkPolicy = (program: Deployment): NetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(program),
  spec: {
    podSelector: selectorOf(program),
    policyTypes: ['Ingress'],
    ingress: [{ ports: portsOf(program).map((port) => ({ protocol: 'TCP', port })) }],
  },
});

/** Declared ports, and those of probes: some network plugins apply policies to the kubelet too. */
const portsOf = ({ spec }: Deployment): number[] => {
  const ports = (spec?.template.spec?.containers ?? []).flatMap(({ ports = [], livenessProbe }) => [
    ...ports.map(({ containerPort }) => containerPort),
    // A port by its name is declared.
    ...(typeof livenessProbe?.httpGet?.port === 'number' ? [livenessProbe.httpGet.port] : []),
  ]);
  return [...new Set(ports)];
};
