import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { firstInLine, priorityOf } from './cleanup.policy.ts';

const item = (priority?: string): KubeObject => ({
  metadata: { annotations: priority === undefined ? {} : { 'open-cluster-management.io/cleanup-priority': priority } },
});

describe('the order of cleaning up', () => {
  it.each([
    ['none', [undefined, undefined, undefined, undefined], 0, 4],
    ['none that can be understood', ['abc', '300', '-1', undefined], 0, 4],
    ['some that cannot', ['100', '300', '10', 'abc', '0', '-1', undefined], 0, 5],
    ['all', ['100', '10', '10', '40', '65', '90'], 10, 2],
  ])('[registration-hub 114] %s of the objects have a priority', (_, priorities, first, count) => {
    const line = firstInLine(priorities.map(item));
    expect(line.map(priorityOf)).toEqual(Array.from({ length: count }, () => first));
  });
});
