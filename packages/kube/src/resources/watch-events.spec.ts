import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
