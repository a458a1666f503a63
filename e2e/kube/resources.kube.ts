import { type Cluster, startCluster } from '@flotilla/envtest';
import { addFinalizer, applyConditions, createEventRecorder, realClock, removeFinalizer } from '@flotilla/kube';
import {
  certificateSigningRequests,
  configMaps,
  createToken,
  customResourceDefinitions,
  deployments,
  events,
  evictPod,
  namespaces,
  pods,
  scale,
  selfSubjectAccessReviews,
  serviceAccounts,
  setApproval,
  subjectAccessReviews,
  tokenReviews,
} from '@flotilla/kube/kinds';
import type { WatchEvent } from '@flotilla/kube/reflector';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

const pollOptions = { timeout: 10_000, interval: 50 };

describe('a typed handle', () => {
  it('creates, reads, replaces, patches in three ways, applies and deletes', async () => {
    const maps = cluster.client.resource(configMaps);
    const key = 'default/handle';
    const made = await maps.create({ metadata: { namespace: 'default', name: 'handle' }, data: { a: '1' } });
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { uid: expect.any(String) } });
    await expect(maps.create(made)).rejects.toMatchObject({ code: 'BadRequest' }); // It has a resource version.
    await expect(maps.create({ metadata: { namespace: 'default', name: 'handle' } })).rejects.toMatchObject({
      code: 'AlreadyExists',
    });

    await maps.replace({ ...made, data: { a: '2' } });
    await expect(maps.replace({ ...made, data: { a: '3' } })).rejects.toMatchObject({ code: 'Conflict' });

    await maps.patch(key, { type: 'merge', body: { data: { b: '1' } } });
    await maps.patch(key, { type: 'strategic', body: { data: { c: '1' } } });
    await maps.patch(key, { type: 'json', body: [{ op: 'add', path: '/data/d', value: '1' }] });
    const untested = maps.patch(key, { type: 'json', body: [{ op: 'test', path: '/data/d', value: '2' }] });
    await expect(untested).rejects.toMatchObject({ code: 'Invalid' });
    expect((await maps.get(key)).data).toEqual({ a: '2', b: '1', c: '1', d: '1' });

    const intent = { metadata: { namespace: 'default', name: 'handle' }, data: { a: '9' } };
    await expect(maps.apply(intent, { fieldManager: 'e2e' })).rejects.toMatchObject({
      code: 'Conflict',
      details: { causes: [{ field: '.data.a' }] },
    });
    const applied = await maps.apply(intent, { fieldManager: 'e2e', force: true });
    expect(applied.data).toMatchObject({ a: '9' });
    expect(applied.metadata?.managedFields?.map(({ manager }) => manager)).toContain('e2e');
    expect((await maps.apply(intent, { fieldManager: 'e2e', dryRun: true })).metadata?.resourceVersion).toBe(
      applied.metadata?.resourceVersion,
    );

    await expect(maps.delete(key, { preconditions: { uid: 'another' } })).rejects.toMatchObject({ code: 'Conflict' });
    await maps.delete(key, { preconditions: { uid: made.metadata?.uid }, propagationPolicy: 'Foreground' });
    await maps.delete(key);
    await vi.waitFor(async () => expect(await maps.find(key)).toBeUndefined(), pollOptions);
  });

  it('names the field of an invalid object', async () => {
    const invalid = cluster.client
      .resource(configMaps)
      .create({ metadata: { namespace: 'default', name: 'Not valid' } });
    await expect(invalid).rejects.toMatchObject({ code: 'Invalid', details: { causes: [{ field: 'metadata.name' }] } });
  });

  it('lists in pages and deletes a selection', async () => {
    const maps = cluster.client.resource(configMaps);
    const labels = { suite: 'pages' };
    for (let index = 0; index < 25; index++) {
      await maps.create({ metadata: { namespace: 'default', name: `page-${index}`, labels } });
    }
    const selection = { namespace: 'default', labelSelector: 'suite in (pages)' };
    const sizes: number[] = [];
    for await (const { items } of maps.pages({ ...selection, pageSize: 10 })) sizes.push(items.length);
    expect(sizes).toEqual([10, 10, 5]);
    const list = await maps.list({ ...selection, pageSize: 10 });
    expect(list.items).toHaveLength(25);
    expect(list.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    await maps.deleteCollection(selection);
    expect((await maps.list(selection)).items).toEqual([]);
  });

  it('watches, and with initial events lists by watching', async () => {
    const maps = cluster.client.resource(configMaps);
    await maps.create({ metadata: { namespace: 'default', name: 'watched', labels: { suite: 'watch' } } });
    const seen: WatchEvent<KubeObject>[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      const options = {
        namespace: 'default',
        labelSelector: 'suite=watch',
        sendInitialEvents: true,
        signal: stop.signal,
      };
      for await (const event of maps.watch(options)) seen.push(event);
    })();
    watching.catch(() => {});
    await vi.waitFor(() => expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']), pollOptions);
    expect(seen[1]?.object.metadata?.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    await maps.delete('default/watched');
    // The server may send another bookmark at any time.
    const changes = () => seen.map(({ type }) => type).filter((type) => type !== 'BOOKMARK');
    await vi.waitFor(() => expect(changes()).toEqual(['ADDED', 'DELETED']), pollOptions);
    stop.abort();
    await expect(watching).rejects.toMatchObject({ code: 'Canceled' });
  });

  it('reads metadata only', async () => {
    const maps = cluster.client.resource(configMaps);
    await maps.create({ metadata: { namespace: 'default', name: 'partial' }, data: { big: 'x'.repeat(1000) } });
    const { items } = await cluster.client.metadata(configMaps).list({ fieldSelector: 'metadata.name=partial' });
    expect(items).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: expect.objectContaining({ name: 'partial' }) },
    ]);
  });

  it('reviews the access of a user, and hints at how to check a refusal', async () => {
    const may = await cluster.client.resource(selfSubjectAccessReviews).create({
      spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } },
    });
    expect(may.status?.allowed).toBe(true);
    const mayNot = await cluster.client.resource(subjectAccessReviews).create({
      spec: { user: 'jane', resourceAttributes: { verb: 'delete', resource: 'nodes' } },
    });
    expect(mayNot.status?.allowed).toBe(false);
  });
});

describe('a dynamic handle', () => {
  const definition = (kind: string, plural: string) => ({
    metadata: { name: `${plural}.e2e.example.com` },
    spec: {
      group: 'e2e.example.com',
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });

  it('finds built-in kinds, short names, and kinds that were created a moment ago', async () => {
    const { client } = cluster;
    expect((await client.dynamic({ apiVersion: 'apps/v1', kind: 'Deployment' })).type).toMatchObject(deployments);
    expect(await client.mapper.byName('cm')).toMatchObject({ plural: 'configmaps', kind: 'ConfigMap' });
    const unknown = client.dynamic({ apiVersion: 'e2e.example.com/v1', kind: 'Widget' });
    await expect(unknown).rejects.toMatchObject({ code: 'UnknownKind' });

    await client.resource(customResourceDefinitions).create(definition('Widget', 'widgets'));
    const widgets = await vi.waitFor(
      async () => client.dynamic({ apiVersion: 'e2e.example.com/v1', kind: 'Widget' }),
      pollOptions,
    );
    const widget = await vi.waitFor(
      async () => widgets.create({ metadata: { namespace: 'default', name: 'w' } }),
      pollOptions,
    );
    expect(widget).toMatchObject({ apiVersion: 'e2e.example.com/v1', kind: 'Widget', metadata: { name: 'w' } });

    const ready = { type: 'Ready', status: 'True', reason: 'Fine', message: '' } as const;
    const first = await applyConditions(widgets, widget, [ready], { clock: realClock });
    expect(first).toMatchObject({ written: true, object: { status: { conditions: [ready] } } });
    // From the object as it was before: the conflict is met by reading again, and then there is nothing to write.
    expect(await applyConditions(widgets, widget, [ready], { clock: realClock })).toMatchObject({ written: false });

    const guarded = await addFinalizer(widgets, widget, 'e2e.example.com/guard');
    expect(guarded?.metadata?.finalizers).toEqual(['e2e.example.com/guard']);
    await widgets.delete('default/w');
    expect(await widgets.find('default/w')).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
    if (guarded) await removeFinalizer(widgets, guarded, 'e2e.example.com/guard');
    await vi.waitFor(async () => expect(await widgets.find('default/w')).toBeUndefined(), pollOptions);
  });

  it('does not take a kind that is gone for an object that is gone', async () => {
    const gone = { group: 'e2e.example.com', version: 'v1', kind: 'Gone', plural: 'gones', namespaced: true };
    await expect(cluster.client.resource(gone).find('default/x')).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('subresources', () => {
  it('mint a token that the server accepts', async () => {
    await cluster.client.resource(serviceAccounts).create({ metadata: { namespace: 'default', name: 'minted' } });
    const { token, expirationTimestamp } = await createToken(cluster.client, 'default/minted', {
      expirationSeconds: 600,
    });
    expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now());
    const review = await cluster.client.resource(tokenReviews).create({ spec: { token } });
    expect(review.status?.user?.username).toBe('system:serviceaccount:default:minted');
  });

  it('scale a deployment and evict a pod', async () => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'none' }] } };
    await cluster.client.resource(deployments).create({
      metadata: { namespace: 'default', name: 'web' },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
    await scale(cluster.client, deployments, 'default/web', 1);
    expect((await cluster.client.resource(deployments).get('default/web')).spec?.replicas).toBe(1);
    const pod = await cluster.client
      .resource(pods)
      .create({ metadata: { namespace: 'default', name: 'lone' }, spec: template.spec });
    await evictPod(cluster.client, 'default/lone', { preconditions: { uid: pod.metadata?.uid } });
    await evictPod(cluster.client, 'default/never-there');
    await vi.waitFor(
      async () => expect(await cluster.client.resource(pods).find('default/lone')).toBeUndefined(),
      pollOptions,
    );
  });

  it('deny a certificate signing request', async () => {
    const requests = cluster.client.resource(certificateSigningRequests);
    const request = await requests.create({
      metadata: { name: 'denied' },
      spec: { request: await csr(), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    });
    const input = { type: 'Denied', reason: 'Test', message: 'no' } as const;
    const denied = await setApproval(cluster.client, request, input, { now: Date.now() });
    expect(denied.status?.conditions).toMatchObject([{ type: 'Denied', status: 'True' }]);
    expect(await setApproval(cluster.client, denied, input, { now: Date.now() })).toBe(denied);
  });
});

describe('an event recorder', () => {
  it('records what kubectl describe shows, with a count', async () => {
    const recorder = createEventRecorder({
      events: cluster.client.resource(events),
      reportingController: 'flotilla.io/e2e',
    });
    const map = await cluster.client
      .resource(configMaps)
      .create({ metadata: { namespace: 'default', name: 'eventful' } });
    const space = await cluster.client.resource(namespaces).get('default');
    recorder.record(map, { type: 'Warning', reason: 'Odd', action: 'Looking', note: 'this is odd', related: space });
    recorder.record(space, { reason: 'Seen', note: 'a cluster-scoped object' });
    await vi.waitFor(async () => {
      const { items } = await cluster.client.resource(events).list({ namespace: 'default' });
      expect(items.filter(({ reportingController }) => reportingController === 'flotilla.io/e2e')).toHaveLength(2);
    }, pollOptions);
    for (let index = 0; index < 4; index++) {
      recorder.record(map, { type: 'Warning', reason: 'Odd', action: 'Looking', note: 'this is odd', related: space });
    }
    await recorder.close();
    const shown = await cluster.kubectl(['describe', 'configmap', 'eventful', '-n', 'default']);
    expect(shown.stdout).toMatch(/Warning\s+Odd\s+.*\(x5 over .*\)\s+flotilla.io\/e2e\s+this is odd/);
  });
});

/** A PKCS #10 request, as the API has it: PEM in base64. */
async function csr(): Promise<string> {
  const { Pkcs10CertificateRequestGenerator, cryptoProvider } = await import('@peculiar/x509');
  cryptoProvider.set(crypto);
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=somebody',
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  return Buffer.from(request.toString('pem')).toString('base64');
}
