import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Label,
  managedClusterAddOns,
  managedClusterAddOnsV1alpha1,
  managedClusterSetBindings,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { KubeError } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Program, startProgram } from './program.ts';
import { apply, deploy, kubeconfigOf, manifest, type Server, serverKinds, startServer } from './servers.ts';

const namespace = 'open-cluster-management-hub';
const secretKey = `${namespace}/registration-webhook-serving-cert`;
const pollOptions = { timeout: 30_000, interval: 50 };

/** The API servers of tests have no cluster network, so the webhooks are called by their address. */
function byAddress(configuration: KubeObject, url: string): KubeObject {
  const { webhooks, ...rest } = structuredClone(configuration) as KubeObject & {
    webhooks: { clientConfig: { service?: { path: string } } }[];
  };
  const called = webhooks.map(({ clientConfig, ...webhook }) => ({
    ...webhook,
    clientConfig: { url: `${url}${clientConfig.service?.path}` },
  }));
  return { ...rest, webhooks: called } as KubeObject;
}

describe.each(serverKinds)('on %s, the webhook server as a process', (kind) => {
  let server: Server;
  let directory: string;
  let program: Program;

  beforeAll(async () => {
    server = await startServer(kind);
    directory = await mkdtemp(join(tmpdir(), 'flotilla-webhooks-'));
    await deploy(server, 'hub', ['namespace.yaml', 'webhook-rbac.yaml']);
    const kubeconfig = await kubeconfigOf(server, `${namespace}/registration-webhook-sa`, directory);
    program = startProgram('hub', [
      'webhook-server',
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${namespace}`,
      '--bind-address=127.0.0.1',
      '--port=0',
      '--metrics-port=0',
      '--health-probe-port=0',
      '--serving-hosts=127.0.0.1',
    ]);
    const served = () => program.log.find(({ msg }) => msg === 'serving webhooks')?.url;
    await vi.waitFor(() => expect(served()).toBeDefined(), pollOptions);
    for (const object of await manifest('hub', 'webhook-configurations.yaml')) {
      await apply(server, byAddress(object, String(served())));
    }
    const probe = { metadata: { name: 'probe' }, spec: {} };
    // Until the server's CA is known and the API server has seen the configurations, writes fail or pass unchanged.
    await vi.waitFor(async () => {
      const { metadata } = await server.client.resource(managedClusters).create(probe, { dryRun: true });
      expect(metadata?.labels?.[Label.ClusterSet]).toBe('default');
    }, pollOptions);
  });
  afterAll(async () => {
    await program?.end('SIGKILL');
    await server?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  it('[registration-hub 143] completes a cluster, and refuses one whose address is not https', async () => {
    const clusters = server.client.resource(managedClusters);
    const taints = [{ key: 'gpu', effect: 'NoSelect' }] as const;
    const made = await clusters.create({ metadata: { name: 'good' }, spec: { taints: [...taints] } });
    expect(made.metadata?.labels?.[Label.ClusterSet]).toBe('default');
    expect(made.spec?.taints?.[0]?.timeAdded).toBeTruthy();
    expect(made.spec?.leaseDurationSeconds).toBe(60);
    // An update to 0, as programs in Go send it: without the field.
    const { leaseDurationSeconds: _, ...withoutDuration } = made.spec ?? {};
    const updated = await clusters.replace({ ...made, spec: withoutDuration });
    expect(updated.spec?.leaseDurationSeconds).toBe(60);
    const spec = { managedClusterClientConfigs: [{ url: 'http://127.0.0.1:8001' }] };
    await expect(clusters.create({ metadata: { name: 'bad' }, spec })).rejects.toThrow(
      'url "http://127.0.0.1:8001" is invalid in client configs',
    );
    await expect(
      server.client
        .resource(managedClusterSetBindings)
        .create({ metadata: { namespace: 'default', name: 'a' }, spec: { clusterSet: 'b' } }),
    ).rejects.toThrow('must have the same name as the target ManagedClusterSet');
  });

  it('[work 18.M-170, 18.M-172, 18.M-175] checks works: what is in them, and as whom they run', async () => {
    const works = server.client.resource(manifestWorks);
    const metadata = { namespace: 'default', name: 'w' };
    const configMap = (name: string, data = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    const refusalOf = async (manifests: ReturnType<typeof configMap>[]) => {
      const error: unknown = await works
        .create({ metadata, spec: { workload: { manifests } } })
        .catch((caught) => caught);
      if (!KubeError.is(error, 'BadRequest')) throw error;
      return error.apiStatus;
    };
    expect((await refusalOf([]))?.message).toBe(
      'admission webhook "manifestworkvalidators.admission.work.open-cluster-management.io" denied the request: manifests should not be empty',
    );
    const duplicate = await refusalOf([configMap('a'), configMap('b'), configMap('a')]);
    expect(duplicate?.message).toContain('duplicate manifest for resource /a with resource type v1.ConfigMap');
    expect(duplicate?.details?.causes).toMatchObject([{ field: 'spec.workload.manifests[2]' }]);

    // As many bytes as may be, some of which API servers write as six.
    const around = JSON.stringify(configMap('a', { text: '' })).length + 4;
    const text = (bytes: number) => `${'<'.repeat(100)}${'x'.repeat(bytes - 600)}`;
    const exact = [configMap('a', { text: text(512_000 - around) })];
    expect((await refusalOf([configMap('a', { text: text(512_001 - around) })]))?.message).toContain(
      'the size of manifests is 512001 bytes which exceeds the 512000 limit',
    );
    const serviceAccount = { namespace: 'apps', name: 'runner' };
    const executor = { subject: { type: 'ServiceAccount' as const, serviceAccount } };
    await works.create({ metadata, spec: { workload: { manifests: exact }, executor } });
    await works.patch('default/w', { type: 'merge', body: { metadata: { finalizers: ['spec/hold'] } } });
    await works.patch('default/w', { type: 'merge', body: { metadata: { finalizers: null } } });
    await works.delete('default/w');
    expect(await works.find('default/w')).toBeUndefined();
  });

  it('[addons 5, 7, 10] converts add-ons between their versions, once the definitions name it', async () => {
    const url = String(program.log.find(({ msg }) => msg === 'serving webhooks')?.url);
    // The server puts its CA in by itself.
    const definitions = customResourceDefinitions({ url: `${url}/convert` });
    for (const definition of definitions.filter(({ spec }) => spec.conversion.strategy === 'Webhook')) {
      await apply(server, definition);
    }
    const [old, addOns] = [
      server.client.resource(managedClusterAddOnsV1alpha1),
      server.client.resource(managedClusterAddOns),
    ];
    const metadata = { name: 'a', namespace: 'default' };
    const registrations = [
      { signerName: 'kubernetes.io/kube-apiserver-client', subject: { user: 'u' } },
      { signerName: 'example.com/signer', subject: { organizationUnit: ['ou'] } },
    ];
    await vi.waitFor(() => old.create({ metadata, spec: { installNamespace: 'somewhere' } }), pollOptions);
    await old.status.patch('default/a', { type: 'merge', body: { status: { registrations } } });
    const shown = await vi.waitFor(() => addOns.get('default/a'), pollOptions);
    expect(shown.metadata.annotations).toEqual({
      'addon.open-cluster-management.io/v1alpha1-install-namespace': 'somewhere',
    });
    expect(shown.status?.registrations?.map(({ type }) => type)).toEqual(['kubeClient', 'customSigner']);
    await addOns.status.patch('default/a', { type: 'merge', body: { status: { namespace: 'seen' } } });
    expect((await old.get('default/a')).status).toMatchObject({ registrations, namespace: 'seen' });
    await addOns.delete('default/a');
  });

  it('makes a new certificate when the old one is taken away, with no more rights than its manifests give', async () => {
    const before = await server.client.resource(secrets).get(secretKey);
    await server.client.resource(secrets).delete(secretKey);
    await expect
      .poll(async () => (await server.client.resource(secrets).find(secretKey))?.data?.['tls.crt'], pollOptions)
      .not.toBe(before.data?.['tls.crt']);
    await expect
      .poll(
        () =>
          server.client
            .resource(managedClusters)
            .create({ metadata: { name: 'later' }, spec: {} }, { dryRun: true })
            .then(({ metadata }) => metadata?.labels?.[Label.ClusterSet]),
        pollOptions,
      )
      .toBe('default');
    expect(program.log.filter((line) => JSON.stringify(line).includes('Forbidden'))).toEqual([]);
  });
});
