import type { Namespace } from '@flotilla/kube/kinds';

export const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
