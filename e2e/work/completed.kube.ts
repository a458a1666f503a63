import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pods } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram, tail } from '../registration/program.ts';
import { deploy, kubeconfigOf, serverKinds, startServer } from '../registration/servers.ts';
import { configOf, helloPod } from './manifests.ts';
import { startWorkWorld, type WorkWorld, workCondition } from './work-world.ts';

const hubNamespace = 'open-cluster-management-hub';
const complete = { conditionRules: [{ type: 'WellKnownConditions' as const, condition: 'Complete' }] };
const ttlSeconds = 3;

describe.each(serverKinds)('on %s, a completed work', (kind) => {
  let world: WorkWorld;
  let controllers: Program;
  let directory: string;

  beforeAll(async () => {
    const [hub, managed] = await Promise.all([startServer(kind), startServer(kind)]);
    world = await startWorkWorld(hub, managed);
    directory = await mkdtemp(join(tmpdir(), 'flotilla-completed-'));
    await deploy(hub, 'hub', ['namespace.yaml', 'controller-rbac.yaml']);
    controllers = startProgram('hub', [
      'controller',
      `--kubeconfig=${await kubeconfigOf(hub, `${hubNamespace}/registration-controller-sa`, directory)}`,
      '--disable-leader-election',
      '--feature-gates=CleanUpCompletedManifestWork=true',
    ]);
    world.startAgent();
  });
  afterAll(async () => {
    await controllers?.end('SIGKILL');
    await world?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  const finish = (name: string) =>
    world.managed
      .resource(pods)
      .status.patch(`default/${name}`, { type: 'merge', body: { status: { phase: 'Succeeded' } } });

  it('[work 18.O-201] goes with its objects when its time is over, and not before; without a time it stays', async () => {
    const manifestConfigs = (name: string) => [configOf('pods', name, complete)];
    const deleteOption = { propagationPolicy: 'Foreground' as const, ttlSecondsAfterFinished: ttlSeconds };
    await world.synced(
      await world.create('short', [helloPod('short')], { manifestConfigs: manifestConfigs('short'), deleteOption }),
    );
    await world.synced(await world.create('long', [helloPod('long')], { manifestConfigs: manifestConfigs('long') }));
    await finish('long');
    await finish('short');
    const isComplete = (name: string) =>
      world.until(name, 'complete', (work) => workCondition(work, 'Complete') === 'True');
    const [work] = await Promise.all([isComplete('short'), isComplete('long')]);
    const since = work.status?.conditions?.find(({ type }) => type === 'Complete')?.lastTransitionTime ?? '';
    await world.gone('short').catch((error: unknown) => {
      throw new Error(tail(controllers), { cause: error });
    });
    expect(Date.now() - Date.parse(since)).toBeGreaterThanOrEqual(ttlSeconds * 1000);
    expect(await world.managed.resource(pods).find('default/short')).toBeUndefined();
    expect(await world.managed.resource(pods).find('default/long')).toBeDefined();
    expect(await world.until('long', 'there', () => true)).toBeDefined();
    expect(controllers.log.filter((line) => JSON.stringify(line).includes('Forbidden'))).toEqual([]);
  });
});
