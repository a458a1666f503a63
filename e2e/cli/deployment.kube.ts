import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { deploy, serverKinds } from '../registration/servers.ts';
import { startBareServer } from './bare-server.ts';
import { podCommand } from './pod.ts';
import { openShell } from './shell.ts';

const arn = (name: string) => `arn:aws:eks:us-west-2:123456789012:cluster/${name}`;

describe.each(serverKinds)('on %s', (kind) => {
  it.each([
    {
      app: 'agent',
      files: ['rbac.yaml', 'registration.yaml'],
      deployment: 'klusterlet-registration-agent',
      how: 'and by the auth type',
      flags: ` --registration-auth awsirsa --hub-cluster-arn ${arn('hub')} --managed-cluster-arn ${arn('edge')}`,
      annotations: { 'agent.open-cluster-management.io/managed-cluster-arn': arn('edge') },
    },
    {
      app: 'singleton',
      files: ['rbac.yaml', 'work-payloads.yaml', 'agent.yaml'],
      deployment: 'klusterlet-agent',
      how: 'and by certificates if none is',
      flags: '',
      annotations: {},
    },
  ])('the deployment of the $app joins under the name that join was given, $how', { timeout: 120_000 }, async (row) => {
    await using cleanup = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-deployment-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    const shell = await openShell(directory);
    const hub = cleanup.use(await startBareServer(kind, 'hub', directory));
    const managed = cleanup.use(await startBareServer(kind, 'managed', directory));

    const { out } = await shell.run(`flotilla init --kubeconfig ${hub.kubeconfig}`);
    const command = out.split('\n').find((line) => line.trim().startsWith('flotilla join')) ?? '';
    const joined = await shell.run(
      `${command.trim().replace('<cluster_name>', 'edge')} --kubeconfig ${managed.kubeconfig}${row.flags}`,
    );
    expect(joined, joined.err).toMatchObject({ code: 0 });
    // Nothing asks the hub before an agent runs, so that is what to do first.
    expect(joined.out).toMatch(/Start the agent[\s\S]*--run[\s\S]*kubectl apply[\s\S]*flotilla accept --clusters edge/);

    await deploy(managed, row.app, row.files);
    const pod = await podCommand(managed, `open-cluster-management-agent/${row.deployment}`, row.app, directory);
    const agent = cleanup.use(shell.start(pod));
    const clusters = async () => (await hub.client.resource(managedClusters).list()).items;
    await expect
      .poll(clusters, { timeout: 60_000, message: `${pod}\n${agent.said}` })
      .toMatchObject([{ metadata: { name: 'edge', annotations: row.annotations } }]);
  });
});
