import { describe, expect, it } from 'vitest';
import { answerTooLarge } from '../errors/answer-too-large.ts';
import { configMaps, namespaces } from '../kinds/built-in-kinds.ts';
import { ScriptedTransport } from '../testing/scripted-transport.ts';
import { createKubeClient } from './kube-client.ts';

const scripted = (...args: ConstructorParameters<typeof ScriptedTransport>) => {
  const transport = new ScriptedTransport(...args);
  return { transport, client: createKubeClient({ transport }) };
};

describe('a list', () => {
  const pagesOf = (count: number, size: number) => (path: string) => {
    const parameters = new URLSearchParams(path.split('?')[1]);
    const start = Number(parameters.get('continue') ?? 0);
    const limit = Number(parameters.get('limit')) || count;
    const items = Array.from({ length: Math.min(limit, count - start) }, (_, index) => ({
      metadata: { name: `n${start + index}` },
    }));
    const next = start + items.length;
    return {
      metadata: {
        resourceVersion: '9',
        ...(next < count && { continue: String(next), remainingItemCount: count - next }),
      },
      items,
      size,
    };
  };

  it('reads all pages of 500 and returns one resource version', async () => {
    const page = pagesOf(1201, 500);
    const { client, transport } = scripted(({ path }) => ({ body: page(path) }));
    const list = await client.resource(namespaces).list({ labelSelector: 'a in (b,c)', resourceVersion: '0' });
    expect(list.items).toHaveLength(1201);
    expect(list.metadata).toEqual({ resourceVersion: '9' });
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces?labelSelector=a%20in%20(b%2Cc)&limit=500&resourceVersion=0',
      '/api/v1/namespaces?labelSelector=a%20in%20(b%2Cc)&limit=500&continue=500',
      '/api/v1/namespaces?labelSelector=a%20in%20(b%2Cc)&limit=500&continue=1000',
    ]);
  });

  it('reads all objects at once on request', async () => {
    const { client, transport } = scripted(() => ({ body: { metadata: {}, items: null } }));
    expect((await client.resource(configMaps).list({ namespace: 'a', pageSize: 0 })).items).toEqual([]);
    expect(transport.last.path).toBe('/api/v1/namespaces/a/configmaps');
  });

  it('reads all objects at once when paging takes longer than the server keeps the version', async () => {
    const page = pagesOf(30, 10);
    const { client, transport } = scripted(({ path }) =>
      path.includes('continue=20')
        ? { status: 410, body: { kind: 'Status', reason: 'Expired', code: 410, message: 'too old' } }
        : { body: page(path) },
    );
    const list = await client.resource(namespaces).list({ pageSize: 10 });
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(
      Array.from({ length: 30 }, (_, index) => `n${index}`),
    );
    expect(transport.last.path).toBe('/api/v1/namespaces');
  });

  it('lets the one who takes pages decide about that', async () => {
    const page = pagesOf(30, 10);
    const { client } = scripted(({ path }) =>
      path.includes('continue=20')
        ? { status: 410, body: { kind: 'Status', reason: 'Expired', code: 410, message: 'too old' } }
        : { body: page(path) },
    );
    const seen: number[] = [];
    const walk = async () => {
      for await (const { items } of client.resource(namespaces).pages({ pageSize: 10 })) seen.push(items.length);
    };
    await expect(walk()).rejects.toMatchObject({ code: 'Expired' });
    expect(seen).toEqual([10, 10]);
  });

  it('passes an expired resource version of the caller on', async () => {
    const { client, transport } = scripted(() => ({
      status: 410,
      body: { kind: 'Status', reason: 'Expired', code: 410, message: 'too old' },
    }));
    await expect(client.resource(namespaces).list({ resourceVersion: '5' })).rejects.toMatchObject({ code: 'Expired' });
    expect(transport.requests).toHaveLength(1);
  });

  it('refuses an answer that is not a list', async () => {
    const { client } = scripted(() => ({ body: { kind: 'Namespace' } }));
    await expect(client.resource(namespaces).list()).rejects.toMatchObject({ code: 'Decode' });
  });

  /** A server with `count` objects, of which no more than `most` fit into an answer. */
  const largeObjects = (count: number, most: number) => {
    const page = pagesOf(count, 10);
    return scripted(({ path }) => {
      const body = page(path);
      if (body.items.length > most) throw answerTooLarge('GET', 1000);
      return { body };
    });
  };
  const limitsOf = ({ requests }: ScriptedTransport) =>
    requests.map(({ path }) => Number(new URLSearchParams(path.split('?')[1]).get('limit')));

  it('asks for smaller pages when an answer is too large, and goes on with those', async () => {
    const { client, transport } = largeObjects(20, 3);
    const list = await client.resource(namespaces).list({ pageSize: 10 });
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(
      Array.from({ length: 20 }, (_, index) => `n${index}`),
    );
    expect(limitsOf(transport)).toEqual([10, 5, 3, 3, 3, 3, 3, 3, 3]);
  });

  it('that is asked for at once is read in pages when it is too large', async () => {
    const { client, transport } = largeObjects(600, 300);
    expect((await client.resource(namespaces).list({ pageSize: 0 })).items).toHaveLength(600);
    expect(limitsOf(transport)).toEqual([0, 500, 250, 250, 250]);
  });

  it('fails when one object is too large', async () => {
    const { client, transport } = largeObjects(20, 0);
    await expect(client.resource(namespaces).list({ pageSize: 4 })).rejects.toMatchObject({ code: 'Decode' });
    expect(limitsOf(transport)).toEqual([4, 2, 1]);
  });
});
