import { describe, expect, it } from 'vitest';
import { hubOf } from './fixtures/hub.ts';
import { startManager } from './fixtures/running-manager.ts';
import { writeMetadata, writeStatus } from './write-changes.ts';

describe('a write to an add-on', () => {
  const prepare = async (manager: Awaited<ReturnType<typeof startManager>>) => {
    const { mcas } = hubOf(manager);
    const stale = await mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await mcas.patch('c0/hello', { type: 'merge', body: { metadata: { labels: { by: 'another' } } } });
    return { mcas, stale };
  };

  it('is decided again on the newest object when another writer was faster', async () => {
    await using manager = await startManager(['c0']);
    const { mcas, stale } = await prepare(manager);
    const seen: unknown[] = [];
    await writeStatus(mcas, stale, ({ metadata }) => {
      seen.push(metadata?.labels);
      return { namespace: 'there' };
    });
    expect(seen).toEqual([undefined, { by: 'another' }]);
    expect(await mcas.get('c0/hello')).toMatchObject({
      metadata: { labels: { by: 'another' } },
      status: { namespace: 'there' },
    });
  });

  it('is not made on another object of the same name, nor on one that is gone', async () => {
    await using manager = await startManager(['c0']);
    const { mcas, stale } = await prepare(manager);
    await mcas.delete('c0/hello');
    const change = () => ({ annotations: { written: 'yes' } });
    await writeMetadata(mcas, stale, change);
    await mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await writeMetadata(mcas, stale, change);
    expect((await mcas.get('c0/hello')).metadata?.annotations).toBeUndefined();
  });
});
