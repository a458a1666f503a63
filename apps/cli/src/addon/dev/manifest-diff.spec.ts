import { describe, expect, it } from 'vitest';
import { changeLines, manifestChanges } from './manifest-diff.ts';

const map = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name },
  data,
});

describe('the changes of manifests', () => {
  it('are none where only the order of fields is another', () => {
    const { metadata, ...rest } = map('a', { x: '1', y: '2' });
    expect(manifestChanges([map('a', { y: '2', x: '1' })], [{ metadata, ...rest }])).toEqual([]);
  });

  it('show the lines of what changed, and name what is new or gone', () => {
    const before = [map('gone', {}), map('same', { a: 'b' }), map('a', { greeting: 'Hello', name: 'x' })];
    const after = [map('a', { greeting: 'Goodbye', name: 'x' }), map('same', { a: 'b' }), map('fresh', {})];
    expect(changeLines('cluster1', manifestChanges(before, after))).toEqual([
      'cluster1  ~ ConfigMap default/a',
      '     apiVersion: v1',
      '     data:',
      '    -  greeting: Hello',
      '    +  greeting: Goodbye',
      '       name: x',
      '     kind: ConfigMap',
      '     metadata:',
      'cluster1  + ConfigMap default/fresh',
      'cluster1  - ConfigMap default/gone',
    ]);
  });

  it('leave out what is far from a change', () => {
    const data = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index + 10}`, 'same']));
    const [change] = manifestChanges(
      [map('a', { ...data, key10: 'old', key29: 'old' })],
      [map('a', { ...data, key10: 'new', key29: 'new' })],
    );
    expect(change?.lines.filter((line) => line === '…')).toHaveLength(1);
    expect(change?.lines.join('\n')).not.toContain('key18');
  });
});
