import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEvent, eventName, seriesKey } from './event.policy.ts';

const reporter = { reportingController: 'placement-controller', reportingInstance: 'pod-1' };
const placement = {
  apiVersion: 'cluster.open-cluster-management.io/v1beta1',
  kind: 'Placement',
  metadata: { name: 'p', namespace: 'team', uid: 'u1', resourceVersion: '7' },
};
const cluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'c1', uid: 'u2' },
};
const now = Date.parse('2026-01-01T00:00:00.250Z');

describe('an event', () => {
  it('lives where its object does and points to it', () => {
    expect(buildEvent(reporter, placement, { reason: 'DecisionUpdate', note: 'two clusters' }, now, 0)).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^p\.[0-9a-f]+$/), namespace: 'team' },
      eventTime: '2026-01-01T00:00:00.250000Z',
      type: 'Normal',
      reason: 'DecisionUpdate',
      action: 'DecisionUpdate',
      note: 'two clusters',
      regarding: { apiVersion: placement.apiVersion, kind: 'Placement', ...placement.metadata },
      reportingController: 'placement-controller',
      reportingInstance: 'pod-1',
    });
  });

  it('about an object of cluster scope lives in default', () => {
    const event = buildEvent(reporter, cluster, { reason: 'R', note: 'n' }, now, 0);
    expect(event?.metadata?.namespace).toBe('default');
    expect(event?.regarding?.namespace).toBeUndefined();
  });

  it('about an object of cluster scope can live in a namespace that is named, and then says so in its pointer', () => {
    const event = buildEvent(reporter, cluster, { reason: 'R', note: 'n', namespace: 'c1' }, now, 0);
    expect([event?.metadata?.namespace, event?.regarding?.namespace]).toEqual(['c1', 'c1']);
  });

  it('is cut to what the server accepts', () => {
    const event = buildEvent(reporter, cluster, { reason: 'R'.repeat(200), note: 'n'.repeat(2000) }, now, 0);
    expect([event?.reason?.length, event?.action?.length, event?.note?.length]).toEqual([128, 128, 1024]);
  });

  it('cannot be about something that does not say what it is', () => {
    expect(buildEvent(reporter, { metadata: { name: 'x' } }, { reason: 'R', note: 'n' }, now, 0)).toBeUndefined();
  });

  it('points to a second object', () => {
    const event = buildEvent(reporter, placement, { reason: 'R', note: 'n', related: cluster }, now, 0);
    expect(event?.related).toMatchObject({ kind: 'ManagedCluster', name: 'c1', uid: 'u2' });
  });
});

describe('the name of an event', () => {
  it('is always one that the server accepts', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.nat(), (name, sequence) => {
        const made = eventName(name, now, sequence);
        expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        expect(made.length).toBeLessThanOrEqual(253);
      }),
    );
  });

  it('differs within a millisecond', () => {
    const names = Array.from({ length: 1000 }, (_, sequence) => eventName('system:node', now, sequence));
    expect(new Set(names).size).toBe(1000);
  });
});

describe('two events are the same', () => {
  const base = { reason: 'R', note: 'n', action: 'A' };
  const key = (object: typeof placement, input: typeof base & { type?: 'Warning' }, sequence: number) => {
    const event = buildEvent(reporter, object, input, now + sequence, sequence);
    return event && seriesKey(event);
  };

  it('if they say the same about the same object, also about a newer version of it', () => {
    const newer = { ...placement, metadata: { ...placement.metadata, resourceVersion: '8' } };
    expect(key(newer, base, 1)).toBe(key(placement, base, 2));
  });

  it.each([
    ['reason', placement, { ...base, reason: 'S' }],
    ['note', placement, { ...base, note: 'm' }],
    ['type', placement, { ...base, type: 'Warning' as const }],
    ['action', placement, { ...base, action: 'B' }],
    ['object of that name', { ...placement, metadata: { ...placement.metadata, uid: 'u9' } }, base],
  ])('but not with another %s', (_what, object, input) => {
    expect(key(object, input, 1)).not.toBe(key(placement, base, 2));
  });
});
