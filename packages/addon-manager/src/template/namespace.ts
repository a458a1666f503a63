import { NamespaceName } from '@flotilla/api-types';
import { type EmbeddedResource, isRecord } from '@flotilla/schema';
import { namespaceOf } from './manifest.ts';
import { workloadResource } from './workload.ts';

/** A manifest in the install namespace: its own namespace, that of the service accounts in a binding, or the name of a Namespace. */
export function withNamespace(manifest: EmbeddedResource, namespace: string): EmbeddedResource {
  const { kind, metadata } = manifest;
  if (kind === 'Namespace') return { ...manifest, metadata: { ...metadata, name: namespace } };
  const moved = metadata?.namespace ? { ...manifest, metadata: { ...metadata, namespace } } : manifest;
  if (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding') return moved;
  const subjects: unknown = moved.subjects;
  return Array.isArray(subjects)
    ? { ...moved, subjects: subjects.map((subject: unknown) => moveSubject(subject, namespace)) }
    : moved;
}

/** Users and groups have no namespace. */
const moveSubject = (subject: unknown, namespace: string): unknown =>
  isRecord(subject) && (subject.kind === 'ServiceAccount' || subject.namespace) ? { ...subject, namespace } : subject;

/** Before others: what OCM looks for. */
const order = ['deployments', 'daemonsets', 'statefulsets', 'replicasets', 'pods', 'cronjobs', 'jobs'];

/** Where the agent of a template runs, if no configuration says it: the namespace of its first Deployment, or else of its first DaemonSet, … */
export function namespaceOfWorkloads(manifests: readonly EmbeddedResource[]): string {
  for (const resource of order) {
    const first = manifests.find((manifest) => workloadResource(manifest) === resource);
    if (first) return namespaceOf(first) || NamespaceName.AgentAddOn;
  }
  return NamespaceName.AgentAddOn;
}
