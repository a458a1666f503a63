import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { csrDriver } from '@flotilla/driver-csr';
import { isConditionTrue } from '@flotilla/kube';
import { leases, namespaces } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../fixtures/data-host.ts';
import { runController } from './controller.ts';
import { runWebhookServer } from './webhook-server.ts';

const namespace = 'open-cluster-management-hub';
const program = { name: 'my-hub', version: '1.0.0', drivers: [csrDriver] };

const startController = (argv: readonly string[]) =>
  startProgram((host) => runController(host, program), ['--listen=0', `--namespace=${namespace}`, ...argv]);

describe('the command line of the hub', () => {
  it('[registration-hub 151] explains its commands', async () => {
    const controller = startController(['--help']);
    expect(await controller.exitCode).toBe(0);
    expect(controller.output.printed).toContain('--auto-approved-csr-users');
    expect(controller.output.printed).toContain('--gc-resource-list');
    const webhooks = startProgram((host) => runWebhookServer(host, program), ['--help']);
    expect(await webhooks.exitCode).toBe(0);
    expect(webhooks.output.printed).toContain('--certdir');
  });

  it('starts without a flag that only a driver requires which is not enabled', async () => {
    const definition = { type: 'string', required: true, description: 'What only the hub knows.' } as const;
    const jwt = { authType: 'jwt', options: { agent: {}, hub: { passphrase: definition } } };
    const start = (argv: readonly string[]) =>
      startProgram(
        (host) => runController(host, { ...program, drivers: [csrDriver, jwt] }),
        ['--listen=0', '--kubeconfig=/does-not-exist', ...argv],
      );
    for (const [argv, why] of [
      [[], '/does-not-exist'],
      [['--enabled-registration-drivers=csr,jwt'], '--passphrase is required with --enabled-registration-drivers=jwt'],
    ] as const) {
      const controller = start([`--namespace=${namespace}`, ...argv]);
      expect(await controller.exitCode).not.toBe(0);
      expect(`${controller.output.complained}${controller.output.log}`).toContain(why);
    }
  });

  it.each([
    ['an unknown gate', '--feature-gates=Nonsense=true', 'Nonsense'],
    ['labels that are none', '--labels=a', 'unexpected label spec: a'],
  ])('[registration-hub 154] does not start with %s', async (_, flag, why) => {
    await using plane = await startControlPlane();
    await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-hub-'));
    await using replica = await startReplica(plane, directory.path, [flag, '--disable-leader-election']);
    expect(await replica.exitCode).not.toBe(0);
    expect(`${replica.output.complained}${replica.output.log}`).toContain(why);
  });
});

/** Starts the controllers against a control plane, until they end or are ended. */
async function startReplica(
  plane: Awaited<ReturnType<typeof startControlPlane>>,
  directory: string,
  flags: readonly string[],
) {
  const kubeconfig = join(directory, 'kubeconfig.yaml');
  await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
  const started = startController([`--kubeconfig=${kubeconfig}`, ...flags]);
  return {
    ...started,
    async [Symbol.asyncDispose]() {
      started.end();
      await started.exitCode;
    },
  };
}

const isAccepted = ({ status }: ManagedCluster) => isConditionTrue(status?.conditions, 'HubAcceptedManagedCluster');

it('[registration-hub 152, 155] of two replicas only the holder of the lease works, and the other takes over when it ends', async () => {
  await using plane = await startControlPlane({ crds: customResourceDefinitions() });
  await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-hub-'));
  await plane.client.resource(namespaces).create({ metadata: { name: namespace } });
  const flags = [
    '--leader-election-lease-duration=3s',
    '--leader-election-renew-deadline=2s',
    '--leader-election-retry-period=200ms',
    '--feature-gates=ManagedClusterAutoApproval=true,ClusterImporter=true',
    // An auth type that this hub does not have does not prevent the start: [registration-hub 154].
    '--enabled-registration-drivers=csr,awsirsa',
  ];
  const clusters = plane.client.resource(managedClusters);
  const accepted = (name: string) => expect.poll(async () => isAccepted(await clusters.get(name))).toBe(true);
  const holder = async () =>
    (await plane.client.resource(leases).find(`${namespace}/registration-controller-lock`))?.spec?.holderIdentity;

  const first = await startReplica(plane, directory.path, flags);
  await expect.poll(holder).toBeTruthy();
  const leader = await holder();
  await using second = await startReplica(plane, directory.path, flags);
  await clusters.create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: false } });
  await accepted('c1');
  expect(await holder()).toBe(leader);
  await expect.poll(() => first.output.log).toContain('managed cluster c1 is accepted');
  expect(second.output.log).not.toContain('managed cluster c1');

  first.end();
  expect(await first.exitCode).toBe(0);
  await expect.poll(holder).not.toBe(leader);
  await clusters.create({ metadata: { name: 'c2' }, spec: { hubAcceptsClient: false } });
  await accepted('c2');
  await expect.poll(() => second.output.log).toContain('managed cluster c2 is accepted');
});
