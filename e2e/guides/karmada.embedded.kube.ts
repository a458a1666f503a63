import { join } from 'node:path';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
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
];

const kubeconfigs = '--kubeconfig=kubeconfig.yaml --cluster-kubeconfig=kubeconfig.yaml';

describe('the page of Karmada about registering clusters', { timeout: 240_000 }, () => {
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

  it('karmadactl register and unregister, with the printed command and the name of the cluster in the kubeconfig', async () => {
    const { managed } = guide.servers;
    const names = { cluster: 'member3', user: 'admin', context: 'member3' };
    await writeKubeconfig(join(guide.directory, 'member3.yaml'), kubeconfigFor(managed.access, names));
    const create = 'karmadactl token create --print-register-command --kubeconfig kubeconfig.yaml';
    const printed = (await guide.run(create)).trim();
    expect(printed).toMatch(
      /^karmadactl register 127\.0\.0\.1:\d+ --token \w{6}\.\w{16} --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}$/,
    );
    await guide.run(`export KUBECONFIG=member3.yaml\n${printed}`);
    // Other than with Karmada, a token alone is not enough.
    await guide.run('clusteradm accept --clusters member3 --wait --context hub');
    await guide
      .says('karmadactl get clusters --context hub')
      .toMatch(/member3 +true +True +True .*v1\.\d+\.\d+\S* +Pull/);
    await guide
      .says('kubectl -n open-cluster-management-agent get pod --context managed')
      .toMatch(/klusterlet-registration-agent-\S+ +1\/1 +Running/);
    const member = '--cluster-kubeconfig=member3.yaml --cluster-context=member3';
    await guide.run(`karmadactl unregister member3 ${member} --karmada-config=kubeconfig.yaml --karmada-context=hub`);
    await guide.says('karmadactl get clusters -o name --context hub').toBe('');
    await expect.poll(() => listAllObjects(managed.client), patience).toEqual(before);
  });
});
