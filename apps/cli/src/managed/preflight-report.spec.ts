import { managedClusters } from '@flotilla/api-types';
import { createKubeClient, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import { startProgress } from '../output/progress.ts';
import { checkIdentityIsFree, readIdentity } from '../push/preflight.ts';
import { checkApiServer } from './hub-checks.ts';
import { checkKinds } from './member-checks.ts';
import { checkNameIsFree } from './preflight.ts';
import { type CheckResult, reportValue, startPreflight } from './preflight-report.ts';

it.each([
  ['Tls', 'the certificate of the hub is not trusted'],
  ['Forbidden', 'Forbidden: no'],
] as const)('a check that could not be made is skipped and not passed: %s', async (code, message) => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const progress = startProgress({ err: { write: (text) => lines.push(text) }, clock });
  const checks: CheckResult[] = [];
  const fail = async () => {
    throw new KubeError(code, 'no');
  };
  const transport = { request: fail, stream: fail, accessChanged: EMPTY, async close() {} };
  const connect = async () => ({
    client: createKubeClient({ transport }),
    access: { server: 'https://hub', origin: 'the spec' },
    async [Symbol.asyncDispose]() {},
  });
  await checkApiServer({ clock }, connect, 'cluster1', startPreflight(progress, { checks }));
  expect(checks).toEqual(['clock', 'rights on the hub'].map((check) => ({ check, status: 'skipped', message })));
  expect(lines).toEqual(checks.map(({ check }) => `Preflight check: ${check} skipped: ${message}\n`));
  expect(reportValue({ checks }).passed).toBe(true);
});

it('checks that compare an identity are skipped for a cluster without one, and the command goes on', async () => {
  const clock = new FakeClock();
  const client = () => createKubeClient({ transport: new FakeApi(clock), clock });
  const [hub, member] = [client(), client()];
  const annotations = { 'agent.open-cluster-management.io/cluster-identity': 'other' };
  const found = await hub.resource(managedClusters).create({ metadata: { name: 'cluster1', annotations } });
  const checks: CheckResult[] = [];
  const check = startPreflight(startProgress({ err: { write() {} }, clock }), { checks });
  expect(await check('name on the hub', () => checkNameIsFree(hub, 'cluster1', member))).toEqual(found);
  const uid = await check('identity', () => readIdentity(member));
  await check('identity on the hub', () => checkIdentityIsFree(hub, 'cluster1', uid));
  const message = 'this cluster has no Namespace kube-system';
  const names = ['name on the hub', 'identity', 'identity on the hub'];
  expect(checks).toEqual(names.map((name) => ({ check: name, status: 'skipped', message })));
  // Without another cluster of the name there is nothing to compare.
  expect(await check('free name', () => checkNameIsFree(hub, 'cluster2', member))).toBeUndefined();
  expect(checks.at(-1)).toEqual({ check: 'free name', status: 'passed' });
});

it('the check of kinds is skipped for users who may not read definitions', async () => {
  const clock = new FakeClock();
  const transport = new FakeApi(clock);
  transport.before = () => {
    throw new KubeError('Forbidden', 'no');
  };
  const checks: CheckResult[] = [];
  const check = startPreflight(startProgress({ err: { write() {} }, clock }), { checks });
  await check('kinds on this cluster', () => checkKinds(createKubeClient({ transport, clock })));
  const message = 'you cannot get CustomResourceDefinition klusterlets.operator.open-cluster-management.io';
  expect(checks).toEqual([{ check: 'kinds on this cluster', status: 'skipped', message }]);
});
