import { type ManagedClusterSetBinding, Permission } from '@flotilla/api-types';
import type { Validation } from './cluster.validation.ts';
import { badRequest } from './decisions.ts';

/** Checks the name of a binding, and says which right a new one needs. `old` is undefined for a new binding. */
export function validateBinding(
  { metadata, spec }: ManagedClusterSetBinding,
  old: ManagedClusterSetBinding | undefined,
): Validation {
  const set = spec?.clusterSet ?? '';
  if (metadata?.name !== set) {
    const message = 'The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet';
    return { outcome: badRequest(message) };
  }
  if (old) return { needs: [] };
  const bind = {
    permission: Permission.BindClusterSet,
    name: set,
    what: 'managedclustersets/bind.cluster.open-cluster-management.io',
    why: (user: string) => `user "${user}" is not allowed to bind cluster set "${set}"`,
  };
  return { needs: [bind] };
}
