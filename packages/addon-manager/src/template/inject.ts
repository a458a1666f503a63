import type { Container, EnvVar, PodSpec, ResourceRequirements, Toleration, Volume } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import { nameOf } from './manifest.ts';
import { workloadOf } from './workload.ts';

/** A volume of each pod, and where its containers find it. */
export interface Mount {
  readonly volume: Volume;
  readonly mountPath: string;
}

/** What the pods of an add-on get beside what its template says. */
export interface Injection {
  readonly env: readonly EnvVar[];
  readonly mounts: readonly Mount[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  image(reference: string): string;
  /** By `<resource>:<workload>:<container>`. */
  resources(containerId: string): ResourceRequirements | undefined;
}

/**
 * A manifest whose pods have what is injected. OCM leaves all but Deployments and DaemonSets alone, and their init containers; here all
 * kinds of pods and all their containers get the same.
 */
export function inject(manifest: EmbeddedResource, injection: Injection): EmbeddedResource {
  const workload = workloadOf(manifest);
  if (!workload) return manifest;
  const { nodeSelector, tolerations, mounts } = injection;
  const prefix = `${workload.resource}:${nameOf(manifest)}`;
  const decorate = (container: Container) => withInjection(container, prefix, injection);
  const { initContainers } = workload.pod;
  const pod: PodSpec = {
    ...workload.pod,
    ...(nodeSelector && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations && { tolerations: [...tolerations] }),
    ...(mounts.length > 0 && {
      volumes: merged(
        workload.pod.volumes,
        mounts.map(({ volume }) => volume),
        'name',
      ),
    }),
    containers: workload.pod.containers.map(decorate),
    ...(initContainers && { initContainers: initContainers.map(decorate) }),
  };
  return workload.with(pod);
}

function withInjection(container: Container, prefix: string, injection: Injection): Container {
  const { env, mounts } = injection;
  const resources = injection.resources(`${prefix}:${container.name}`);
  const volumeMounts = mounts.map(({ volume: { name }, mountPath }) => ({ name, mountPath }));
  return {
    ...container,
    ...(container.image && { image: injection.image(container.image) }),
    ...(env.length > 0 && { env: merged(container.env, env, 'name') }),
    ...(mounts.length > 0 && { volumeMounts: merged(container.volumeMounts, volumeMounts, 'mountPath') }),
    ...(resources && { resources }),
  };
}

/** What a template has, then what is added. Of two with one key the added one stays: OCM leaves both, which server-side apply refuses. */
function merged<T, K extends keyof T>(own: readonly T[] = [], added: readonly T[], key: K): T[] {
  const keys = new Set(added.map((item) => item[key]));
  return [...own.filter((item) => !keys.has(item[key])), ...added];
}
