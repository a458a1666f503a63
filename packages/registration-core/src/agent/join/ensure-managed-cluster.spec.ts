import { createKubeClient, KubeError, silentLogger, type Transport } from '@flotilla/kube';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { ensureManagedCluster } from './ensure-managed-cluster.ts';

const hubThatAnswers = (code: 'Unauthorized' | 'Forbidden') => {
  const transport: Transport = {
    request: () => Promise.reject(new KubeError(code, 'answered so', { hint: 'Bind it to a ClusterRole.' })),
    stream: () => Promise.reject(new Error('nothing is watched here')),
    moved: NEVER,
    close: async () => {},
  };
  return createKubeClient({ transport });
};
const description = {
  clusterName: 'c1',
  annotations: {},
  externalServerUrls: [],
  decorate: <T>(cluster: T): T => cluster,
};
const { signal } = new AbortController();

it.each([
  ['ended bootstrap credentials', 'Unauthorized', true, 'put new ones into the bootstrap kubeconfig'],
  ['bootstrap credentials without rights', 'Forbidden', true, 'Bind it to a ClusterRole.'],
  ['credentials of its own', 'Unauthorized', false, 'Bind it to a ClusterRole.'],
] as const)('says what to do when the hub refuses %s', async (_whose, code, create, fix) => {
  const outcome = await ensureManagedCluster(hubThatAnswers(code), description, { create, log: silentLogger, signal });
  expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining(fix) });
});
