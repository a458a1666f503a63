import {
  clusterManagementAddOns,
  clusterManagementAddOnsV1alpha1,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnV1alpha1,
  managedClusterAddOns,
  managedClusterAddOnsV1alpha1,
} from '@flotilla/api-types';
import { convertObject } from '@flotilla/api-types/conversion';
import { customResourceDefinitions as ourDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { startCluster } from '@flotilla/envtest';
import { type KubeClient, realClock } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { type RunningServer, serve } from '@flotilla/process';
import { conversionRoute } from '@flotilla/process/webhooks';
import type { KubeObject } from '@flotilla/schema';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// The same conversations with the real and the embedded API server, between which our conversion webhook stands.

const stack = new AsyncDisposableStack();
let clients: { readonly name: string; readonly client: KubeClient }[] = [];
let webhook: RunningServer;
/** Served without a webhook at first. */
let changed: CustomResourceDefinition[] = [];

beforeAll(async () => {
  const authority = await createAuthority('webhook', realClock);
  const names = { usage: 'server', hosts: ['127.0.0.1'] } as const;
  const { certificate: cert, key } = await issueCertificate(authority, names, realClock);
  const routes = [conversionRoute({ path: '/convert', convert: convertObject })];
  webhook = stack.use(await serve({ address: { host: '127.0.0.1', port: 0 }, routes, tls: { cert, key } }));
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  const withWebhook = ourDefinitions({ url: `${webhook.url}/convert`, caBundle });
  const ofKind = (kind: string) => (definition: (typeof withWebhook)[number]) => definition.spec.names.kind === kind;
  const crds = [
    ...withWebhook.filter(ofKind('ManagedClusterAddOn')),
    ...ourDefinitions().filter(ofKind('ClusterManagementAddOn')),
  ];
  changed = withWebhook.filter(ofKind('ClusterManagementAddOn'));
  const [real, embedded] = await Promise.all([
    startCluster({ crds, controllerManager: false }),
    startControlPlane({ crds }),
  ]);
  stack.use(real);
  stack.use(embedded);
  clients = [
    { name: 'real', client: real.client },
    { name: 'embedded', client: embedded.client },
  ];
});
afterAll(() => stack.disposeAsync());

const registrations = [
  { type: 'kubeClient' as const, kubeClient: { subject: { user: 'u', groups: ['g'] }, driver: 'csr' as const } },
  {
    type: 'customSigner' as const,
    customSigner: { signerName: 'example.com/signer', subject: { user: 'v', organizationUnits: ['ou'] } },
  },
];

/** Without what differs from server to server. */
const bare = ({ metadata, ...rest }: KubeObject) => {
  const { name, namespace, labels, annotations, generation, managedFields } = metadata ?? {};
  const managers = managedFields?.map(({ manager, operation, apiVersion, subresource }) =>
    [manager, operation, apiVersion, subresource ?? ''].join(' '),
  );
  return { ...rest, metadata: { name, namespace, labels, annotations, generation, managers: managers?.sort() } };
};

const write = { fieldManager: 'e2e' };

/** What a client of both versions sees, step by step. */
async function converse(client: KubeClient): Promise<unknown[]> {
  const [alpha, beta] = [client.resource(managedClusterAddOnsV1alpha1), client.resource(managedClusterAddOns)];
  const seen: KubeObject[] = [];
  const old: ManagedClusterAddOnV1alpha1 = {
    metadata: { name: 'old', namespace: 'default', annotations: { mine: 'kept' } },
    spec: { installNamespace: 'somewhere' },
  };
  seen.push(await alpha.create(old, write));
  seen.push(await beta.get('default/old'));
  const shown: ManagedClusterAddOn = { metadata: { name: 'new', namespace: 'default' }, spec: {} };
  seen.push(await beta.create(shown, write));
  seen.push(await alpha.get('default/new'));
  const body = { status: { registrations } };
  seen.push(await beta.status.patch('default/new', { type: 'merge', body }, write));
  seen.push(await alpha.get('default/new'));
  seen.push(await alpha.patch('default/new', { type: 'merge', body: { metadata: { labels: { l: 'x' } } } }, write));
  seen.push(await beta.get('default/new'));
  const applied = { ...shown, spec: { configs: [{ group: 'g.example', resource: 'r', name: 'x' }] } };
  seen.push(await beta.apply(applied, { fieldManager: 'applier', force: true }));
  seen.push(await alpha.get('default/new'));
  seen.push(...(await beta.list({ namespace: 'default' })).items);
  seen.push(...(await alpha.list({ namespace: 'default' })).items);
  await beta.delete('default/old');
  return seen.map(bare);
}

/** The events of a watch in one version while things happen in the other. */
async function watched(client: KubeClient): Promise<unknown[]> {
  const [alpha, beta] = [client.resource(managedClusterAddOnsV1alpha1), client.resource(managedClusterAddOns)];
  const end = new AbortController();
  const seen: unknown[] = [];
  const opened = Promise.withResolvers<void>();
  const watching = (async () => {
    const options = { namespace: 'default', signal: end.signal, onOpen: () => opened.resolve() };
    for await (const event of beta.watch(options)) {
      if (event.type === 'BOOKMARK' || event.object.metadata?.name !== 'watched') continue;
      seen.push([event.type, event.object.apiVersion, event.object.metadata.annotations]);
    }
  })().catch(() => {});
  await opened.promise;
  const metadata = { name: 'watched', namespace: 'default' };
  await alpha.create({ metadata, spec: { installNamespace: 'a' } });
  await alpha.patch('default/watched', { type: 'merge', body: { spec: { installNamespace: 'b' } } });
  await alpha.delete('default/watched');
  await vi.waitFor(() => expect(seen).toHaveLength(3), { timeout: 20_000 });
  end.abort();
  await watching;
  return seen;
}

test('objects are read and written in both versions with nothing lost, alike on both servers', async () => {
  const [real, embedded] = await Promise.all(clients.map(({ client }) => converse(client)));
  expect(embedded).toEqual(real);
  expect(real?.[7]).toMatchObject({
    apiVersion: 'addon.open-cluster-management.io/v1beta1',
    status: { registrations },
  });
});

test('a watch shows its version of what happens in the other, alike on both servers', async () => {
  const [real, embedded] = await Promise.all(clients.map(({ client }) => watched(client)));
  expect(embedded).toEqual(real);
});

test('a hub without the webhook gets it later, and keeps what it has, alike on both servers', async () => {
  const answers = await Promise.all(
    clients.map(async ({ client }) => {
      const [alpha, beta] = [
        client.resource(clusterManagementAddOnsV1alpha1),
        client.resource(clusterManagementAddOns),
      ];
      const defaultConfigs = [{ group: 'g.example', resource: 'r', name: 'x' }];
      await beta.create({ metadata: { name: 'early' }, spec: { defaultConfigs } }, write);
      await expect(alpha.list()).rejects.toMatchObject({ status: 404 });
      for (const definition of changed) {
        await client
          .resource<KubeObject>(customResourceDefinitions)
          .apply(definition, { fieldManager: 'e2e', force: true });
      }
      const old = await vi.waitFor(() => alpha.get('early'), { timeout: 30_000, interval: 100 });
      await alpha.patch('early', { type: 'merge', body: { metadata: { labels: { l: 'x' } } } }, write);
      return [bare(old), bare(await beta.get('early')), bare(await alpha.get('early'))];
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]?.[0]).toMatchObject({
    spec: { supportedConfigs: [{ group: 'g.example', resource: 'r', defaultConfig: { name: 'x' } }] },
  });
});

test('a webhook that is away fails what needs it, and nothing else, alike on both servers', async () => {
  const answers = await Promise.all(
    clients.map(async ({ client }) => {
      const url = 'https://127.0.0.1:1/convert';
      const conversion = { webhook: { clientConfig: { url } } };
      await client.resource(customResourceDefinitions).patch('managedclusteraddons.addon.open-cluster-management.io', {
        type: 'merge',
        body: { spec: { conversion } },
      });
      const beta = client.resource(managedClusterAddOns);
      const metadata = { name: 'late', namespace: 'default' };
      // The real server changes over in its own time.
      const error = await vi.waitFor(
        async () => {
          const answer: unknown = await beta.create({ metadata, spec: {} }, { dryRun: true }).catch((cause) => cause);
          if (!(answer instanceof Error)) throw new Error('it still converts');
          return answer;
        },
        { timeout: 30_000, interval: 100 },
      );
      const stored = await client.resource(managedClusterAddOnsV1alpha1).get('default/new');
      return { message: error.message, status: Reflect.get(error, 'status'), stored: bare(stored) };
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
});
