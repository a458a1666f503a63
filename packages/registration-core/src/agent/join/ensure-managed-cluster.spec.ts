import { managedClusters } from '@flotilla/api-types';
import { createKubeClient, KubeError, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import type { Transport } from '@flotilla/kube/transport';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { ensureManagedCluster } from './ensure-managed-cluster.ts';

const hubThatAnswers = (code: 'Unauthorized' | 'Forbidden') => {
  const transport: Transport = {
    request: () => Promise.reject(new KubeError(code, 'answered so', { hint: 'Bind it to a ClusterRole.' })),
    stream: () => Promise.reject(new Error('nothing is watched here')),
    accessChanged: NEVER,
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
] as const)('says what to do when the hub refuses %s', async (_whose, code, isBootstrap, fix) => {
  const decide = async () => ({ create: true, why: 'the test' });
  const options = { ...(isBootstrap && { decide }), log: silentLogger, signal };
  const outcome = await ensureManagedCluster(hubThatAnswers(code), description, options);
  expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining(fix) });
});

it('does not take over a name that was created a moment earlier', async () => {
  const annotations = { 'agent.open-cluster-management.io/cluster-identity': 'another' };
  const api = new FakeApi(new FakeClock());
  const client = createKubeClient({ transport: api });
  const mine = { ...description, clusterUid: 'mine' };
  // Between the read and the creation.
  const decide = async () => {
    await client.resource(managedClusters).create({ metadata: { name: 'c1', annotations }, spec: {} });
    return { create: true, why: 'the test' };
  };
  await expect(ensureManagedCluster(client, mine, { decide, log: silentLogger, signal })).rejects.toMatchObject({
    code: 'AlreadyExists',
  });
  expect(await ensureManagedCluster(client, mine, { decide, log: silentLogger, signal })).toMatchObject({
    kind: 'taken',
  });
});
