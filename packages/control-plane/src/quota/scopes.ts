import type { PersistentVolumeClaim, Pod, ResourceQuota } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { qualityOfService } from '../verbs/kind-strategies.ts';

/** What a quota is confined to. */
interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

function scopesOf({ spec }: ResourceQuota): Scope[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether an object is within every scope of a quota. A quota without scopes covers all objects. */
export const isInScopes = (quota: ResourceQuota, storage: string, object: KubeObject): boolean =>
  scopesOf(quota).every((scope) => matches(scope, storage, object));

function matches(scope: Scope, storage: string, object: KubeObject): boolean {
  if (storage === '/pods') return podMatches(scope, object);
  return storage === '/persistentvolumeclaims' && claimMatches(scope, object);
}

export const isTerminating = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

function podMatches(scope: Scope, pod: Pod): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return selects(scope, pod.spec?.priorityClassName ? [pod.spec.priorityClassName] : []);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

const isBestEffort = ({ spec }: Pod): boolean => qualityOfService({ ...spec }) === 'BestEffort';

function claimMatches(scope: Scope, { spec, status }: PersistentVolumeClaim): boolean {
  if (scope.scopeName !== 'VolumeAttributesClass') return false;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name): name is string => name !== undefined && name !== '');
  return selects(scope, names);
}

function selects({ operator, values = [] }: Scope, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.includes(name));
    default:
      return !names.some((name) => values.includes(name));
  }
}

function crossesNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
    ].some(({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined),
  );
}
