import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { clusterManagers, klusterlets } from '@flotilla/api-types';
import { ensureBinaries } from '@flotilla/envtest';
import { createKubeClient, isConditionTrue, type KubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { deployments, pods } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverKinds, startServer } from '../registration/servers.ts';
import { openShell, type Shell } from './shell.ts';

describe.each(serverKinds)('flotilla up --operator on %s', (kind) => {
  let directory: string;
  let data: string;
  let shell: Shell;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-e2e-'));
    data = join(directory, 'fleet');
    shell = await openShell(directory, kind === 'embedded' ? [] : [dirname((await ensureBinaries()).path('kubectl'))]);
  });
  afterEach(async () => {
    await shell.run(`flotilla down --data-dir ${data}`);
    await rm(directory, { recursive: true, force: true });
  });

  const clientOf = (name: string) =>
    createKubeClient({
      access: kubeconfigAccess({ files: [join(data, 'kubeconfigs', `${name}.yaml`)], clock: realClock }),
    });

  const onHub = () => `--kubeconfig ${join(data, 'kubeconfigs', 'hub.yaml')}`;

  /** Through the API of the hub, whose pods the operator runs. */
  async function reachesCluster(): Promise<void> {
    const line =
      kind === 'embedded'
        ? `flotilla get namespaces --clusters cluster1 ${onHub()}`
        : `flotilla proxy kubectl --cluster cluster1 ${onHub()} -- get ns`;
    const said = async () => {
      const { out, err } = await shell.run(line);
      return `${out}${err}`;
    };
    await expect.poll(said, { timeout: 60_000 }).toContain('open-cluster-management-agent');
  }

  /** By the agents of pushed clusters, which the operator runs too. */
  async function pushesMember(): Promise<void> {
    await using member = await startServer('embedded');
    const file = join(directory, 'member.yaml');
    await writeKubeconfig(file, kubeconfigFor(member.access));
    const joined = await shell.run(`flotilla join member1 --push --cluster-kubeconfig ${file} --wait ${onHub()}`);
    expect(joined.code, `${joined.out}${joined.err}`).toBe(0);
    const { out } = await shell.run(`flotilla get clusters ${onHub()}`);
    expect(out).toMatch(/^member1 .*Push/m);
    const left = await shell.run(`flotilla unjoin member1 --cluster-kubeconfig ${file} ${onHub()}`);
    expect(left.code, `${left.out}${left.err}`).toBe(0);
  }

  /** What a repeated `init` is not about stays, also what kubectl wrote since. */
  async function repeatsInit(hub: KubeClient): Promise<void> {
    const deploymentsOfHub = async () => {
      const { items } = await hub.resource(deployments).list({ namespace: 'open-cluster-management-hub' });
      return items.map(({ metadata }) => metadata?.name ?? '').sort();
    };
    const handle = hub.resource(clusterManagers);
    const edit = { spec: { nodePlacement: { tolerations: [{ key: 'pool', operator: 'Exists' as const }] } } };
    await handle.patch('cluster-manager', { type: 'merge', body: edit });
    const [before, parts] = [await handle.get('cluster-manager'), await deploymentsOfHub()];
    expect(parts.join(' ')).toMatch(/cluster-proxy.*push-agents/);
    const sizes = '--resource-qos-class ResourceRequirement --resource-requests memory=64Mi';
    const { code, err } = await shell.run(`flotilla init ${sizes} ${onHub()}`);
    expect([code, err]).toEqual([0, expect.stringContaining('resourceRequirements.requests.memory: 64Mi')]);
    const resourceRequirement = { type: 'ResourceRequirement', resourceRequirements: { requests: { memory: '64Mi' } } };
    expect((await handle.get('cluster-manager')).spec).toEqual({ ...before.spec, resourceRequirement });
    const memory = async () => {
      const { items } = await hub.resource(deployments).list({ namespace: 'open-cluster-management-hub' });
      return items.map(({ spec }) => spec?.template.spec?.containers[0]?.resources?.requests?.memory);
    };
    await expect.poll(memory, { timeout: 60_000 }).toEqual(parts.map(() => '64Mi'));
    expect(await deploymentsOfHub()).toEqual(parts);
  }

  it('installs hub and agent as pods, which the objects of the operator describe', { timeout: 300_000 }, async () => {
    const flags = kind === 'embedded' ? '' : '--kube';
    const line = `flotilla up --operator --detach --data-dir ${data} --clusters 1 ${flags}`;
    const { code, out, err } = await shell.run(line);
    expect(code, `${out}${err}`).toBe(0);
    expect(out).toMatch(/^cluster1 +true +True +True +default/m);
    expect(out).toContain('flotilla init --operator=true');
    expect(out).not.toMatch(/--hub-token [^…]/);

    const hub = clientOf('hub');
    const cluster1 = clientOf('cluster1');
    try {
      const { items } = await hub.resource(pods).list({ namespace: 'open-cluster-management-hub' });
      const names = items.map(({ metadata }) => metadata?.name ?? '').join('\n');
      for (const part of ['registration-controller', 'registration-webhook', 'work-webhook', 'placement-controller']) {
        expect(names).toContain(`cluster-manager-${part}-`);
      }
      expect(items.every(({ status }) => status?.phase === 'Running')).toBe(true);
      const [manager] = (await hub.resource(clusterManagers).list()).items;
      expect(isConditionTrue(manager?.status?.conditions, 'Applied')).toBe(true);
      const isAvailable = async () => {
        const [klusterlet] = (await cluster1.resource(klusterlets).list()).items;
        return isConditionTrue(klusterlet?.status?.conditions, 'Available');
      };
      // The cluster reports before the probe of the last pod.
      await expect.poll(isAvailable, { timeout: 60_000 }).toBe(true);
      await reachesCluster();
      await pushesMember();
      await repeatsInit(hub);
    } finally {
      await hub.close();
      await cluster1.close();
    }
    const down = await shell.run(`flotilla down --data-dir ${data}`);
    expect(down.code, `${down.out}${down.err}`).toBe(0);
  });
});
