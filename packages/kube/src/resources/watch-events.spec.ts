import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { configMaps } from '../kinds/built-in-kinds.ts';
import { ScriptedTransport } from '../testing/scripted-transport.ts';
import { createKubeClient } from './kube-client.ts';
import { decodeWatchLine, LineSplitter } from './watch-events.ts';

/** Cuts a text at the given places. */
const chop = (text: string, places: readonly number[]): string[] => {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...cuts, text.length];
  return edges.slice(1).map((end, index) => text.slice(edges[index], end));
};

describe('lines of a stream', () => {
  it('are the same wherever chunks begin and end', () => {
    const texts = fc.array(
      fc
        .string({ unit: 'grapheme' })
        .map((text) => text.replace(/[\r\n]/g, ''))
        .filter((text) => text !== ''),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (lines, places) => {
        const splitter = new LineSplitter();
        const text = lines.map((line) => `${line}\n`).join('');
        expect(chop(text, places).flatMap((chunk) => [...splitter.lines(chunk)])).toEqual(lines);
        expect(splitter.rest).toBe('');
      }),
    );
  });

  it('leave what has no end yet', () => {
    const splitter = new LineSplitter();
    expect([...splitter.lines('{"a":'), ...splitter.lines('1')]).toEqual([]);
    expect(splitter.rest).toBe('{"a":1');
  });

  it('skip empty ones, which keep a connection alive', () => {
    expect([...new LineSplitter().lines('\n\r\na\n\n')]).toEqual(['a']);
  });
});

describe('a line of a watch', () => {
  it('is either an event or an error, whatever it holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          expect(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']).toContain(decodeWatchLine(text, 'watch').type);
        } catch (error) {
          expect(error).toMatchObject({ name: 'KubeError' });
        }
      }),
    );
  });
});

const scripted = () => {
  const transport = new ScriptedTransport();
  return { transport, client: createKubeClient({ transport }) };
};

const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a watch', () => {
  it('asks for bookmarks and, for initial events, says how old they may be', async () => {
    const { client, transport } = scripted();
    const opened: unknown[] = [];
    const done = collect(
      client.resource(configMaps).watch({
        namespace: 'a',
        fieldSelector: 'metadata.name=x',
        resourceVersion: '5',
        sendInitialEvents: true,
        timeoutSeconds: 300,
        onOpen: (state) => opened.push(state),
      }),
    );
    await Promise.resolve();
    transport.streams[0]?.end();
    await done;
    expect(transport.last.path).toBe(
      '/api/v1/namespaces/a/configmaps?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dx&resourceVersion=5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300',
    );
    expect(opened).toEqual([{ monitored: true }]);
  });

  const watching = async (...chunks: string[]) => {
    const { client, transport } = scripted();
    const events = collect(client.resource(configMaps).watch({ resourceVersion: '1' }));
    events.catch(() => {});
    await Promise.resolve();
    const [stream] = transport.streams;
    for (const chunk of chunks) stream?.push(chunk);
    stream?.end();
    return { events, stream };
  };

  it('passes events on and closes the stream at the end', async () => {
    const added = line('ADDED', { metadata: { name: 'a' } });
    const bookmark = line('BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '7' } });
    const { events, stream } = await watching(added + bookmark);
    expect(await events).toEqual([
      { type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } },
      { type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: '7' } } },
    ]);
    expect(stream?.closed).toBe(true);
  });

  it('throws the error of an ERROR event', async () => {
    const { events, stream } = await watching(
      line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }),
    );
    await expect(events).rejects.toMatchObject({ code: 'Expired', message: expect.stringContaining('configmaps') });
    expect(stream?.closed).toBe(true);
  });

  it('throws for a line that is not JSON instead of dropping it', async () => {
    const { events } = await watching('{"type":"ADDED","object":{"data":"s3cret"}\n');
    await expect(events).rejects.toSatisfy(
      (error) => KubeError.is(error, 'Decode') && !String(error).includes('s3cret'),
    );
  });

  it('throws for an event of a type it does not know', async () => {
    const { events } = await watching(line('RENAMED', {}));
    await expect(events).rejects.toMatchObject({ code: 'Decode', message: expect.stringContaining('RENAMED') });
  });

  it('throws a retryable error if it ends in the middle of an event', async () => {
    const { events } = await watching('{"type":"ADD');
    await expect(events).rejects.toMatchObject({ code: 'Unavailable', retryable: true });
  });

  it('closes the stream when the caller leaves', async () => {
    const { client, transport } = scripted();
    const events = client.resource(configMaps).watch({});
    const first = (async () => {
      for await (const event of events) return event;
      return undefined;
    })();
    await Promise.resolve();
    transport.streams[0]?.push(line('ADDED', { metadata: { name: 'a' } }));
    expect(await first).toMatchObject({ type: 'ADDED' });
    expect(transport.streams[0]?.closed).toBe(true);
  });
});

it('refuses a line without an end before it fills the memory', () => {
  const splitter = new LineSplitter();
  const chunk = 'x'.repeat(2 ** 20);
  expect(() => {
    for (let count = 0; count < 40; count += 1) expect([...splitter.lines(chunk)]).toEqual([]);
  }).toThrow(/more than 33554432 characters/);
});
