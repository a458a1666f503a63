import type { AddOnConfigReference } from '@flotilla/api-types';
import { configText } from '../configs/chosen-configs.ts';
import { goJson } from '../configs/spec-hash.ts';

/** The annotation of works that tells which configurations they were rendered from; undefined if there are none. */
export function configHashes(references: readonly AddOnConfigReference[] | undefined): string | undefined {
  if (!references || references.length === 0) return undefined;
  const entries = references.flatMap(({ group, resource, desiredConfig }) => {
    if (!desiredConfig) return [];
    const { namespace, name, specHash = '' } = desiredConfig;
    return [[configText({ group, resource, namespace, name }), specHash] as const];
  });
  return goJson(Object.fromEntries(entries));
}
