import type { Namespace } from '@flotilla/kube/kinds';

/** A Namespace with nothing but its name. */
export const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
