import { configText } from '@flotilla/addon-sdk';
import { Annotation, type ManagedClusterAddOn, type ManifestWork, ManifestWorkCondition } from '@flotilla/api-types';
import { findCondition, keyOf } from '@flotilla/kube';
import { desiredConfigsOf } from '../configs/config.ts';

/** A message may be long; a condition is for people. */
const longestDetail = 500;

/** The hashes of the configurations of an add-on, by the names that works have for them. */
export const configHashesOf = ({ status }: ManagedClusterAddOn): ReadonlyMap<string, string> =>
  new Map(desiredConfigsOf(status?.configReferences).map((config) => [configText(config), config.specHash]));

function hashesOfWork(annotation: string): ReadonlyMap<string, string> | undefined {
  try {
    const parsed: unknown = JSON.parse(annotation);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return new Map(Object.entries(parsed).map(([key, value]) => [key, typeof value === 'string' ? value : '']));
  } catch {
    return undefined;
  }
}

/** Why a work was not made for the configurations of its add-on; undefined if it was. */
export function configMismatch(work: ManifestWork, addOn: ManagedClusterAddOn): string | undefined {
  const wanted = configHashesOf(addOn);
  const annotation = work.metadata?.annotations?.[Annotation.ConfigSpecHash];
  const name = `ManifestWork ${keyOf(work)}`;
  if (annotation === undefined) {
    const count = addOn.status?.configReferences?.length ?? 0;
    return count === 0 ? undefined : `${name} does not say for which configurations it was made`;
  }
  const unhashed = [...wanted].find(([, hash]) => hash === '')?.[0];
  if (unhashed !== undefined) return `the manager of the add-on has not read ${unhashed}`;
  const made = hashesOfWork(annotation);
  if (!made) return `annotation ${Annotation.ConfigSpecHash} of ${name} is not a JSON object`;
  const other = [...wanted].find(([key, hash]) => made.get(key) !== hash)?.[0];
  if (other !== undefined) return `${name} was not made for the newest ${other}`;
  const extra = [...made.keys()].find((key) => !wanted.has(key));
  return extra === undefined ? undefined : `${name} was made for ${extra}, which the add-on does not have any more`;
}

/** Why a work is not ready; undefined if it is. */
export function notReady(work: ManifestWork): string | undefined {
  const name = `ManifestWork ${keyOf(work)}`;
  for (const type of [ManifestWorkCondition.Applied, ManifestWorkCondition.Available]) {
    const condition = findCondition(work.status?.conditions, type);
    if (!condition || condition.observedGeneration !== work.metadata?.generation) {
      return `the work agent of cluster ${work.metadata?.namespace} has not reported ${type} of the newest ${name}`;
    }
    if (condition.status !== 'True') {
      return `${name} is not ${type}: ${condition.message || condition.reason}`.slice(0, longestDetail);
    }
  }
  return undefined;
}
