import { describe, expect, it } from 'vitest';
import { clusterNameOf } from './cloud-event.ts';
import { MalformedEvent } from './malformed.ts';

const nameIn = (clustername: string) => clusterNameOf({ id: '1', source: 'a', type: 'a', extensions: { clustername } });

describe('the cluster of an event', () => {
  it.each(['c', 'cluster1', '1-a', 'x'.repeat(63)])('is %s', (name) => {
    expect(nameIn(name)).toBe(name);
  });

  it.each([
    ['is too long', 'x'.repeat(64), 'extension clustername is "x'],
    ['is a megabyte long', 'x'.repeat(1024 * 1024), 'extension clustername is "x'],
    ['has a dot', 'a.b', 'extension clustername is "a.b", and must be the name of a cluster'],
    ['has a capital', 'A', 'extension clustername is "A", and must be'],
    ['has a slash', 'a/b', 'extension clustername is "a/b", and must be'],
    ['is empty', '', 'extension clustername is required and is not set'],
  ])('is refused where it %s', (_, name, message) => {
    expect(() => nameIn(name)).toThrow(MalformedEvent);
    expect(() => nameIn(name)).toThrow(message);
  });
});
