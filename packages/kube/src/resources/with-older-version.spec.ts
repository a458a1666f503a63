import type { KubeObject, ResourceType } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { ScriptedTransport } from '../testing/scripted-transport.ts';
import { createKubeClient } from './kube-client.ts';
import { withOlderVersion } from './with-older-version.ts';

interface Gadget extends KubeObject {
  spec?: { size?: number };
}
interface OldGadget extends KubeObject {
  spec?: { width?: number };
}

const gadget = { group: 'example.com', kind: 'Gadget', plural: 'gadgets', namespaced: true };
const gadgets: ResourceType<Gadget> = { ...gadget, version: 'v1' };
const oldGadgets: ResourceType<OldGadget> = { ...gadget, version: 'v1alpha1' };

const conversion = {
  type: gadgets,
  served: oldGadgets,
  fromServed: ({ spec, ...rest }: OldGadget): Gadget => ({ ...rest, spec: { size: spec?.width } }),
  toServed: ({ spec, ...rest }: Gadget): OldGadget => ({ ...rest, spec: { width: spec?.size } }),
};

/** A server of one object, in the versions that `served` holds at the time. */
function serverOf(served: Set<string>) {
  const discovery = () => ({
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'example.com' },
        versions: [...served].map((version) => ({
          version,
          freshness: 'Current',
          resources: [
            {
              resource: 'gadgets',
              responseKind: { group: 'example.com', version, kind: 'Gadget' },
              scope: 'Namespaced',
              singularResource: 'gadget',
              verbs: ['list'],
            },
          ],
        })),
      },
    ],
  });
  const transport = new ScriptedTransport(({ path, method, body }) => {
    if (path === '/api') return { body: { kind: 'APIGroupDiscoveryList', items: [] } };
    if (path === '/apis') return { body: discovery() };
    const [, version = ''] = /^\/apis\/example\.com\/(\w+)\//.exec(path) ?? [];
    if (!served.has(version)) return { status: 404, body: '404 page not found' };
    const metadata = { namespace: 'n', name: 'g', resourceVersion: '1' };
    const spec = version === 'v1' ? { size: 7 } : { width: 7 };
    const sent = typeof body === 'string' ? JSON.parse(body) : {};
    const object = { apiVersion: `example.com/${version}`, kind: 'Gadget', metadata, spec };
    if (method !== 'GET') return { body: { ...object, ...sent, metadata } };
    return path.includes('/gadgets/')
      ? { body: object }
      : { body: { kind: 'GadgetList', metadata: { resourceVersion: '1' }, items: [{ metadata, spec }] } };
  });
  const client = withOlderVersion(createKubeClient({ transport, clock: new FakeClock() }), conversion);
  const paths = () => transport.requests.splice(0).map(({ method, path }) => `${method} ${path.split('?', 1)[0]}`);
  return { client, paths, transport };
}

const inVersion = (version: string) => `/apis/example.com/${version}/namespaces/n/gadgets`;

describe('a client with an older version of a kind', () => {
  it('asks for the newer one only where it is served', async () => {
    const { client, paths } = serverOf(new Set(['v1', 'v1alpha1']));
    const { items } = await client.resource(gadgets).list({ namespace: 'n' });
    expect(items[0]?.spec).toEqual({ size: 7 });
    expect(paths()).toEqual([`GET ${inVersion('v1')}`]);
  });

  it('reads and writes the older one where that is all, in the words of the newer', async () => {
    const { client, paths, transport } = serverOf(new Set(['v1alpha1']));
    const handle = client.resource(gadgets);
    const { items } = await handle.list({ namespace: 'n' });
    expect(items).toMatchObject([{ apiVersion: 'example.com/v1', kind: 'Gadget', spec: { size: 7 } }]);
    paths();
    const body = { metadata: { resourceVersion: '1' }, spec: { size: 9 } };
    expect((await handle.status.patch('n/g', { type: 'merge', body })).spec).toEqual({ size: 9 });
    expect(JSON.parse(String(transport.last.body))).toEqual({
      metadata: { resourceVersion: '1' },
      spec: { width: 9 },
    });
    // Conversion makes up a spec for what has none; a patch without one must not get it.
    await handle.patch('n/g', { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(JSON.parse(String(transport.last.body))).toEqual({ metadata: { finalizers: null } });
    await handle.replace({ metadata: { namespace: 'n', name: 'g' }, spec: { size: 3 } });
    expect(JSON.parse(String(transport.last.body))).toMatchObject({
      apiVersion: 'example.com/v1alpha1',
      spec: { width: 3 },
    });
    expect(paths().every((path) => path.includes('/v1alpha1/'))).toBe(true);
    await expect(handle.patch('n/g', { type: 'json', body: [] })).rejects.toMatchObject({ code: 'MethodNotAllowed' });
  });

  it('lists metadata in the version that is there', async () => {
    const { client } = serverOf(new Set(['v1alpha1']));
    const { items } = await client.metadata(gadgets).list({ namespace: 'n' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['g']);
  });

  it('says that the kind is missing, and finds it when it comes, and when it moves to the newer version', async () => {
    const served = new Set<string>();
    const { client } = serverOf(served);
    const handle = client.resource(gadgets);
    await expect(handle.list({ namespace: 'n' })).rejects.toMatchObject({ code: 'NotFound' });
    served.add('v1alpha1');
    client.mapper.invalidate();
    expect((await handle.list({ namespace: 'n' })).items).toHaveLength(1);
    served.add('v1').delete('v1alpha1');
    expect((await handle.list({ namespace: 'n' })).items).toHaveLength(1);
  });

  it('leaves other kinds alone', async () => {
    const { client } = serverOf(new Set(['v1alpha1']));
    const others = { ...gadgets, plural: 'widgets' };
    await expect(client.resource(others).get('n/g')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
