import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { klusterlets } from '@flotilla/api-types';
import {
  clusterRoleBindings,
  createToken,
  customResourceDefinitions,
  deployments,
  namespaces,
  secrets,
} from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, serverOf, startWorld } from '../fixtures/cli.ts';
import { addNode } from '../fixtures/nodes.ts';

let world: CliWorld<'hub' | 'managed' | 'other'>;
let directory: string;
let joinInfo: string[];
beforeAll(async () => {
  world = await startWorld('hub', 'managed', 'other');
  directory = mkdtempSync(join(tmpdir(), 'flotilla-join-'));
  await addNode(world.planes.managed);
  await world.flotilla(['init', '--kubeconfig', 'hub']);
  const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
  joinInfo = [
    ...['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']],
    ...['--hub-ca-hash', value['hub-ca-hashes'][0]],
  ];
});
afterEach(() => unjoin('cluster1', '--force'));
afterAll(() => world[Symbol.asyncDispose]());

const client = () => world.planes.managed.client;
const joinAs = (name: string, ...flags: string[]) =>
  world.flotilla(['join', '--kubeconfig', 'managed', ...joinInfo, '--cluster-name', name, ...flags]);
const unjoin = (name: string, ...flags: string[]) =>
  world.flotilla(['unjoin', '--kubeconfig', 'managed', '--cluster-name', name, ...flags]);
const specOf = async (name = 'klusterlet') => (await client().resource(klusterlets).get(name)).spec;
const operator = () => client().resource(deployments).find('open-cluster-management/klusterlet');
const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

/** Lets the operator seem to run. */
async function operatorRuns(): Promise<void> {
  const deployment = await client().resource(deployments).get('open-cluster-management/klusterlet');
  const { generation = 1 } = deployment.metadata ?? {};
  const status = { observedGeneration: generation, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  await client()
    .resource(deployments)
    .status.replace({ ...deployment, status });
}

describe('flotilla join on a cluster with nodes', () => {
  it('installs the operator and a Klusterlet, and says what to do on the hub', async () => {
    const { code, out, err } = await joinAs(
      'cluster1',
      '--feature-gates',
      'MultipleHubs=true,RawFeedbackJsonString=true',
    );
    expect([code, err]).toEqual([0, expect.stringContaining('Installed the operator and Klusterlet klusterlet')]);
    expect(out).toContain('flotilla accept --clusters cluster1');
    expect(out).not.toContain('--run');
    expect((await operator())?.spec?.template.spec?.containers[0]?.args).toEqual(
      expect.arrayContaining(['klusterlet', '--listen=0.0.0.0:8443']),
    );
    expect(await specOf()).toMatchObject({
      clusterName: 'cluster1',
      namespace: 'open-cluster-management-agent',
      deployOption: { mode: 'Default' },
      registrationConfiguration: {
        featureGates: ['ClusterClaim', 'AddonManagement', 'MultipleHubs'].map((feature) => ({
          feature,
          mode: 'Enable',
        })),
      },
      workConfiguration: { featureGates: [{ feature: 'RawFeedbackJsonString', mode: 'Enable' }] },
    });
    const bootstrap = 'open-cluster-management-agent/bootstrap-hub-kubeconfig';
    expect(await client().resource(secrets).find(bootstrap)).toBeDefined();
  });

  it('[cli A37] does not touch an operator that is available', async () => {
    await joinAs('cluster1');
    await operatorRuns();
    const before = await operator();
    const { err } = await joinAs('cluster1', '--singleton', '--bundle-version', 'latest');
    expect(err).toContain('Installed Klusterlet klusterlet');
    expect((await operator())?.metadata?.generation).toBe(before?.metadata?.generation);
    expect(await specOf()).toMatchObject({
      deployOption: { mode: 'Singleton' },
      imagePullSpec: 'flotilla/singleton:latest',
    });
  });

  it.each([
    ['csr', [], undefined],
    ['token', [], { authType: 'token' }],
    ['token', ['--addon-token-expiration-seconds', '3600'], { authType: 'token', token: { expirationSeconds: 3600 } }],
  ])('[cli A34] records how add-ons register: %s %o', async (type, more, expected) => {
    await joinAs('cluster1', '--addon-kubeclient-registration-auth', type, ...more);
    expect((await specOf())?.registrationConfiguration?.addOnKubeClientRegistrationDriver).toEqual(expected);
  });

  it('[cli A35] lets values of a file win', async () => {
    const values = file(
      'values.yaml',
      `klusterlet:
  namespace: open-cluster-management-x
  nodePlacement: { nodeSelector: { pool: system } }
  workConfiguration: { featureGates: [{ feature: RawFeedbackJsonString, mode: Enable }] }
`,
    );
    expect(await joinAs('cluster1', '--klusterlet-values-file', values)).toMatchObject({ code: 0 });
    expect(await specOf()).toMatchObject({
      namespace: 'open-cluster-management-x',
      nodePlacement: { nodeSelector: { pool: 'system' } },
      workConfiguration: { featureGates: [{ feature: 'RawFeedbackJsonString', mode: 'Enable' }] },
    });
    expect(await client().resource(namespaces).find('open-cluster-management-x')).toBeDefined();
  });

  it('[cli A36] refuses modes that contradict themselves, before it looks for files', async () => {
    const cases = [
      [['--mode', 'fast'], 'deploy mode should be default or hosted'],
      [['--mode', 'hosted'], '--mode hosted needs --managed-cluster-kubeconfig'],
      [['--managed-cluster-kubeconfig', '/nonexistent'], '--managed-cluster-kubeconfig is for --mode hosted'],
      [
        ['--mode', 'hosted', '--managed-cluster-kubeconfig', 'other', '--operator=false'],
        'has no effect without the operator',
      ],
    ] as const;
    for (const [flags, says] of cases) {
      const { code, err } = await joinAs('cluster1', ...flags);
      expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    }
  });

  it('joins a hosted cluster: operator, Klusterlet and kubeconfig are here, the name of a second join stays', async () => {
    const hosted = ['--mode', 'Hosted', '--managed-cluster-kubeconfig', 'other'];
    // Kubeconfigs of this world have no credentials; the one of the Secret is used when the cluster is removed.
    await world.planes.other.client.resource(clusterRoleBindings).create({
      metadata: { name: 'anyone' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:unauthenticated' }],
    });
    expect(await joinAs('cluster1', ...hosted)).toMatchObject({ code: 0 });
    expect(await joinAs('cluster1', ...hosted, '--singleton')).toMatchObject({ code: 0 });
    const { items } = await client().resource(klusterlets).list();
    const [{ metadata, spec } = {}] = items;
    expect(items).toHaveLength(1);
    // The agent of this cluster itself would run here, in its place.
    for (const flags of [[], ['--singleton']]) {
      const { code, err } = await joinAs('cluster1', ...flags);
      expect([code, err]).toEqual([2, expect.stringContaining('--mode hosted is missing')]);
    }
    expect(metadata?.name).toMatch(/^klusterlet-hosted-[a-z0-9]{6}$/);
    expect(spec).toMatchObject({
      deployOption: { mode: 'SingletonHosted' },
      namespace: `open-cluster-management-${metadata?.name}`,
    });
    const secret = await client().resource(secrets).get(`${metadata?.name}/external-managed-kubeconfig`);
    expect(Buffer.from(secret.data?.kubeconfig ?? '', 'base64').toString()).toContain('https://other:6443');
    expect(await operator()).toBeDefined();
    expect(await unjoin('cluster1', '--force')).toMatchObject({ code: 0 });
    expect(
      await client()
        .resource(namespaces)
        .find(metadata?.name ?? ''),
    ).toBeUndefined();
  });

  it('joins a cluster of Cluster API by the kubeconfig of its Secret', async () => {
    const { token } = await createToken(world.planes.other.client, 'kube-system/default');
    const access = {
      server: serverOf('other'),
      ca: world.planes.other.ca,
      authorization: `Bearer ${token}`,
      origin: '',
    };
    const value = Buffer.from(formatKubeconfig(kubeconfigFor(access))).toString('base64');
    const without = await joinAs('cluster1', '--capi-import');
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('capi-cluster-name must be set')]);
    const capi = ['--capi-import', '--capi-cluster-name', 'default/c1'];
    const missing = await joinAs('cluster1', ...capi);
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining('Secret default/c1-kubeconfig')]);
    await client()
      .resource(secrets)
      .create({ metadata: { namespace: 'default', name: 'c1-kubeconfig' }, data: { value } });
    // Its user is known there, and has no rights.
    expect((await joinAs('cluster1', ...capi)).err).toContain(
      'User "system:serviceaccount:kube-system:default" cannot list resource "klusterlets"',
    );
  });

  it('leaves nothing, also of what the operator made, and keeps the operator if that is asked for', async () => {
    const before = await listAllObjects(client());
    await joinAs('cluster1');
    await client()
      .resource(customResourceDefinitions)
      .create({
        ...(await client().resource(customResourceDefinitions).get('klusterlets.operator.open-cluster-management.io')),
        metadata: {
          name: 'clusterclaims.cluster.open-cluster-management.io',
          annotations: { 'operator.open-cluster-management.io/version': '0.0.0' },
        },
        spec: {
          group: 'cluster.open-cluster-management.io',
          names: { kind: 'ClusterClaim', plural: 'clusterclaims' },
          scope: 'Cluster',
          versions: [
            { name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          ],
        },
      });
    expect(await unjoin('cluster1', '--purge-operator=false')).toMatchObject({ code: 0 });
    expect(await operator()).toBeDefined();
    expect(await client().resource(klusterlets).list()).toMatchObject({ items: [] });
    const { code, out } = await unjoin('cluster1');
    expect([code, out]).toEqual([0, expect.stringContaining('Removed Deployment open-cluster-management/klusterlet')]);
    expect(await listAllObjects(client())).toEqual(before);
  });

  it('runs the agent here, without the operator, if that is asked for', async () => {
    const { code, err } = await joinAs('cluster1', '--run', '--operator');
    expect([code, err]).toEqual([2, expect.stringContaining('--run and --operator exclude each other')]);
  });

  it('waits, and says what the operator lacks', async () => {
    const { code, err } = await joinAs('cluster1', '--wait', '--timeout', '0');
    expect([code, err]).toEqual([4, expect.stringContaining('it has no pod yet')]);
  });
});
