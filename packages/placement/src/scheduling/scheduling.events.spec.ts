import { expect, it } from 'vitest';
import { newPlacement } from '../fixtures/objects.ts';
import { scoreEvent, updatedEvent } from './scheduling.events.ts';

const decision = { metadata: { namespace: 'ns', name: 'p-decision-1' } };

it('[placement 15.8-162] is a warning with its plugin if scheduling warned', () => {
  const status = { code: 'Warning', plugin: 'TestPlugin', reasons: ['scores expired'] } as const;
  expect(updatedEvent(decision, newPlacement(), status)).toMatchObject({
    type: 'Warning',
    reason: 'DecisionUpdate',
    action: 'DecisionUpdated',
    note: 'Decision p-decision-1 is updated with placement p in namespace ns: scores expired in plugin TestPlugin',
  });
});

it('[placement 15.8-163] lists as many scores as a note can hold', () => {
  const totals = Array.from({ length: 2000 }, (_, index) => ({ cluster: `cluster${index}`, total: index % 200 }));
  const { note } = scoreEvent(decision, totals);
  expect(note).toMatch(/^cluster0:0 cluster1:1 .* \.\.\.\.\.\.$/);
  expect(note.length).toBeLessThanOrEqual(1006);
  expect(scoreEvent(decision, totals.slice(0, 2)).note).toBe('cluster0:0 cluster1:1 ');
});
