import type { Pod, Volume } from '@flotilla/kube/kinds';

/** The names of what a pod reads of its namespace. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
}

/** All Secrets and ConfigMaps that a pod names, for variables and for volumes. */
export function referencesOf({ spec }: Pod): PodReferences {
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  const add = (names: Set<string>, name: string | undefined) => name && names.add(name);
  for (const { env = [], envFrom = [] } of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    for (const { secretRef, configMapRef } of envFrom) {
      add(secrets, secretRef?.name);
      add(configMaps, configMapRef?.name);
    }
    for (const { valueFrom } of env) {
      add(secrets, valueFrom?.secretKeyRef?.name);
      add(configMaps, valueFrom?.configMapKeyRef?.name);
    }
  }
  for (const volume of spec?.volumes ?? []) addVolume(volume, secrets, configMaps);
  return { secrets, configMaps };
}

function addVolume(volume: Volume, secrets: Set<string>, configMaps: Set<string>): void {
  if (volume.secret?.secretName) secrets.add(volume.secret.secretName);
  if (volume.configMap?.name) configMaps.add(volume.configMap.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    if (secret?.name) secrets.add(secret.name);
    if (configMap?.name) configMaps.add(configMap.name);
  }
}
