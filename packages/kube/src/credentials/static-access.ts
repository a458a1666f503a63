import { NEVER } from 'rxjs';
import type { AccessSource, ClusterAccess } from './access.ts';

/** Access that does not change. */
export const staticAccess = (access: ClusterAccess): AccessSource => ({
  current: async () => access,
  changes: NEVER,
  errors: NEVER,
  invalidate() {},
  close() {},
});
