import type { ManagedClusterAddOn, ManagedClusterAddOnStatus } from '@flotilla/api-types';
import type { AddonDeps } from '../caches/deps.ts';
import { observedReferences } from './config-hashes.policy.ts';
import { findDeclared } from './find-declared.ts';

/** What the status of an add-on shall say about the configuration objects that it references; nothing if its kinds take none. */
export function observedStatus(
  { definition, caches }: Pick<AddonDeps, 'definition' | 'caches'>,
  addon: ManagedClusterAddOn,
): Pick<ManagedClusterAddOnStatus, 'configReferences'> {
  if (caches.configs.length === 0 || !addon.status?.configReferences || !caches.offers.has(definition.name)) return {};
  return { configReferences: observedReferences(addon, findDeclared(caches)) };
}
