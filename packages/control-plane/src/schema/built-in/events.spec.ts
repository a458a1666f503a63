import { expect, it } from 'vitest';
import { eventInVersion } from './events.ts';

it('an event has other names for its fields in the other group, and comes back unchanged', () => {
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'a' },
    involvedObject: { kind: 'Pod' },
    message: 'm',
    count: 2,
    reason: 'R',
    reportingComponent: 'c',
  };
  const other = eventInVersion(event, 'events.k8s.io/v1');
  expect(other).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a' },
    regarding: { kind: 'Pod' },
    note: 'm',
    deprecatedCount: 2,
    reason: 'R',
    reportingController: 'c',
  });
  expect(eventInVersion(other, 'v1')).toEqual(event);
});
