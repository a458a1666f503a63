import type { AddonCaches } from '../caches/caches.ts';
import type { FindDeclared } from './config-hashes.policy.ts';

/** Finds objects of the declared kinds in the caches. */
export const findDeclared =
  ({ configs }: Pick<AddonCaches, 'configs'>): FindDeclared =>
  (group, resource) => {
    const declared = configs.find(({ type }) => type.group === group && type.plural === resource);
    return declared && ((key) => declared.cache.get(key));
  };
