import { Annotation } from '@flotilla/api-types';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { hasAll } from './rendered.policy.ts';

/** The release of OCM whose kinds these definitions are: what operators compare, ours and OCM's. */
export const definitionsVersion = '1.3.1';

/** What to do with a definition: OCM's rule, by which an older operator never takes a newer definition back. */
export function definitionChange(
  live: CustomResourceDefinition | undefined,
  rendered: CustomResourceDefinition,
): 'create' | 'update' | 'none' {
  if (!live) return 'create';
  const found = live.metadata?.annotations?.[Annotation.CrdVersion];
  if (found === undefined) return 'update';
  const order = compareVersions(found, definitionsVersion);
  if (order > 0) return 'none';
  if (order < 0) return 'update';
  const { labels } = rendered.metadata ?? {};
  return hasAll(live.spec, rendered.spec) && hasAll(live.metadata?.labels, labels) ? 'none' : 'update';
}

/** By the three numbers; what cannot be read counts as 0.0.0. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

const numbersOf = (version: string): number[] => {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? ['', '0', '0', '0'];
  return numbers.map(Number);
};

/** A definition as it is written: what others put beside ours stays. */
export const writtenDefinition = (
  live: CustomResourceDefinition | undefined,
  rendered: CustomResourceDefinition,
): CustomResourceDefinition => ({
  ...live,
  ...rendered,
  metadata: {
    ...live?.metadata,
    ...rendered.metadata,
    labels: { ...live?.metadata?.labels, ...rendered.metadata?.labels },
    annotations: {
      ...live?.metadata?.annotations,
      ...rendered.metadata?.annotations,
      [Annotation.CrdVersion]: definitionsVersion,
    },
  },
});
