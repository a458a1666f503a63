import type { AccessSource } from '@flotilla/kube';
import { NEVER, Subject } from 'rxjs';
import type { Identity } from './identity.ts';

/** The administrator's access, which changes when the cluster's CA does. */
export interface AdminAccess extends AccessSource {
  readonly identity: Identity;
  replace(identity: Identity): void;
}

/** Starts with the access that the cluster was started with. */
export function createAdminAccess(first: Identity): AdminAccess {
  const changes = new Subject<void>();
  let identity = first;
  return {
    get identity() {
      return identity;
    },
    replace(next) {
      identity = next;
      changes.next();
    },
    current: async () => identity.access,
    changes,
    errors: NEVER,
    invalidate() {},
    close: () => changes.complete(),
  };
}
