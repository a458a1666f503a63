import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetKubeconfig } from './fleet-kubeconfig.ts';

describe('the kubeconfig of a managed cluster in a fleet', () => {
  const hub = { server: 'https://127.0.0.1:7000', origin: 'hub' };
  let directory: string;
  let file: string;
  const find = (env: Record<string, string>, place = {}, server = hub.server) =>
    fleetKubeconfig({ env: { HOME: '/nonexistent', ...env }, clock: realClock }, { ...hub, server }, 'cluster1', place);
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-spec-'));
    file = join(directory, 'kubeconfigs', 'cluster1.yaml');
    const names = { cluster: 'hub', user: 'admin', context: 'hub' };
    await writeKubeconfig(join(directory, 'kubeconfigs', 'hub.yaml'), kubeconfigFor(hub, names));
    await writeFile(file, '');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is found beside the kubeconfig of the hub, however that is named, and in the directory of the fleet', async () => {
    const kubeconfig = join(directory, 'kubeconfigs', 'hub.yaml');
    expect(await find({}, { kubeconfig })).toBe(file);
    expect(await find({ KUBECONFIG: `/nowhere/config:${kubeconfig}` })).toBe(file);
    expect(await find({}, { dataDir: directory })).toBe(file);
  });

  it('is not that of another fleet', async () => {
    const kubeconfig = join(directory, 'kubeconfigs', 'hub.yaml');
    expect(await find({ KUBECONFIG: kubeconfig }, {}, 'https://127.0.0.1:7001')).toBeUndefined();
    expect(await find({ KUBECONFIG: kubeconfig }, { kubeconfig: '/nowhere/config' })).toBeUndefined();
    expect(await find({})).toBeUndefined();
  });
});
