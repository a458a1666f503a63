import type { PodSpec } from '@flotilla/kube/kinds';
import { type EmbeddedResource, isRecord } from '@flotilla/schema';

/** A manifest that runs pods. */
export interface Workload {
  /** As the ids of containers name it: `deployments`. */
  readonly resource: string;
  readonly pod: PodSpec;
  /** The manifest with another pod. */
  with(pod: PodSpec): EmbeddedResource;
}

const inTemplate = ['spec', 'template', 'spec'];

/** Where the pod is in each kind; OCM knows Deployments and DaemonSets. */
const kinds: Readonly<Record<string, { readonly resource: string; readonly path: readonly string[] }>> = {
  'apps/Deployment': { resource: 'deployments', path: inTemplate },
  'apps/DaemonSet': { resource: 'daemonsets', path: inTemplate },
  'apps/StatefulSet': { resource: 'statefulsets', path: inTemplate },
  'apps/ReplicaSet': { resource: 'replicasets', path: inTemplate },
  'batch/Job': { resource: 'jobs', path: inTemplate },
  'batch/CronJob': { resource: 'cronjobs', path: ['spec', 'jobTemplate', ...inTemplate] },
  '/Pod': { resource: 'pods', path: ['spec'] },
};

const kindOf = ({ apiVersion, kind }: EmbeddedResource) => {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return kinds[`${group}/${kind}`];
};

/** The kind of workload that a manifest is, as the ids of containers name it; undefined if it runs no pods. */
export const workloadResource = (manifest: EmbeddedResource): string | undefined => kindOf(manifest)?.resource;

/** Reads a manifest; undefined if it runs no pods. */
export function workloadOf(manifest: EmbeddedResource): Workload | undefined {
  const found = kindOf(manifest);
  if (!found) return undefined;
  const { resource, path } = found;
  const pod = path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), manifest);
  if (!isPodSpec(pod)) return undefined;
  const { apiVersion, kind } = manifest;
  return { resource, pod, with: (next) => ({ ...replaced(manifest, path, next), apiVersion, kind }) };
}

/** What a manifest says in the place of a pod is one; the API server of the cluster checks the rest. */
const isPodSpec = (value: unknown): value is PodSpec => isRecord(value) && Array.isArray(value.containers);

function replaced(value: unknown, [key, ...rest]: readonly string[], next: unknown): Record<string, unknown> {
  const record = isRecord(value) ? value : {};
  if (key === undefined) return record;
  return { ...record, [key]: rest.length === 0 ? next : replaced(record[key], rest, next) };
}
