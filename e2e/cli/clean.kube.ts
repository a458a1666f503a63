import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { type BareServer, startBareServer } from './bare-server.ts';
import { openShell, type Shell } from './shell.ts';

const pollOptions = { timeout: 45_000, interval: 200 };
const clusterLabel = 'open-cluster-management.io/cluster-name';

describe.each(serverKinds)('flotilla clean on %s', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-clean-'));
    shell = await openShell(directory);
    hub = await startBareServer(kind, 'hub', directory);
  });
  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  it('deletes the namespaces that the hub created, and keeps those of users with all that is in them', async () => {
    const { client } = hub;
    const onHub = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);
    const { out, code } = await onHub('init');
    expect(code).toBe(0);
    const command = out
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line.startsWith(process.execPath) && line.includes(' controller '));
    const program = shell.start(command ?? '');

    await client.resource(namespaces).create({ metadata: { name: 'prod' } });
    await client.resource(configMaps).create({ metadata: { namespace: 'prod', name: 'theirs' } });
    const clusters = client.resource(managedClusters);
    for (const name of ['prod', 'fresh']) {
      await clusters.create({ metadata: { name }, spec: { hubAcceptsClient: true } });
    }
    const conditionsOf = async (name: string) => (await clusters.get(name)).status?.conditions;
    for (const name of ['prod', 'fresh']) {
      await expect
        .poll(async () => isConditionTrue(await conditionsOf(name), 'HubAcceptedManagedCluster'), pollOptions)
        .toBe(true);
    }
    expect((await client.resource(namespaces).get('prod')).metadata?.labels?.[clusterLabel]).toBe('prod');
    program.interrupt();
    await program.ended;

    const cleaned = await onHub('clean --force');
    expect(cleaned, cleaned.err).toMatchObject({ code: 0 });
    expect(cleaned.out).toContain(`Removed label ${clusterLabel} of Namespace prod\n`);
    expect(cleaned.out).toContain('Removed Namespace fresh\n');
    expect(await client.resource(namespaces).find('fresh')).toBeUndefined();
    const left = await client.resource(namespaces).get('prod');
    expect([left.metadata?.deletionTimestamp, left.metadata?.labels?.[clusterLabel]]).toEqual([undefined, undefined]);
    expect(await client.resource(configMaps).find('prod/theirs')).toBeDefined();
  });
});
