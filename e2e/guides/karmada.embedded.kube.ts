import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuideShell, patience, startGuideShell } from './guide-shell.ts';

/** Blocks of the page "Cluster Registration" of Karmada that are not run here, with the reason. */
const notRun: [block: string, reason: string][] = [
  [
    'karmadactl join member1 with two kubeconfigs and no context',
    'e2e/push/karmada-guide.kube.ts runs it; here one kubeconfig has both contexts, which is why the page adds the flags',
  ],
  ['kubectl get clusters', 'the kind is ManagedCluster here; karmadactl get clusters prints the same columns'],
  ['the part "Register cluster with Pull mode"', 'e2e/tokens/karmada-guide.kube.ts runs it, command by command'],
];

const kubeconfigs = '--kubeconfig=kubeconfig.yaml --cluster-kubeconfig=kubeconfig.yaml';

describe('the page of Karmada about push mode, with contexts', { timeout: 240_000 }, () => {
  let guide: GuideShell;
  let before: string[];

  beforeAll(async () => {
    guide = await startGuideShell();
    before = await listAllObjects(guide.servers.managed.client);
    await guide.run('clusteradm init --feature-gates PushAgents=true --wait --context hub');
  }, 240_000);
  afterAll(() => guide?.[Symbol.asyncDispose]());

  it.skip.each(notRun)('%s: %s', () => {});

  it.each([
    ['the name of the cluster as its context', 'managed', '--karmada-context=hub'],
    ['both contexts', 'member1', '--karmada-context=hub --cluster-context=managed'],
  ])('karmadactl join and unjoin with %s', async (_, name, contexts) => {
    expect(await guide.run(`karmadactl join ${name} ${kubeconfigs} ${contexts}`)).toBe(
      `cluster(${name}) is joined successfully\n`,
    );
    await guide
      .says('karmadactl get clusters --context hub')
      .toMatch(new RegExp(`${name} +true +True +True .*v1\\.\\d+\\.\\d+\\S* +Push`));
    await guide.run(`karmadactl unjoin ${name} ${kubeconfigs} ${contexts}`);
    await guide.says('karmadactl get clusters -o name --context hub').toBe('');
    await expect.poll(() => listAllObjects(guide.servers.managed.client), patience).toEqual(before);
  });
});
