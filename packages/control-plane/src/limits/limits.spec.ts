import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultLimits } from './limits.ts';

const page = readFileSync(new URL('../../../../docs/reference/control-plane-limits.md', import.meta.url), 'utf8');

function shown(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${value / 1000} s`;
  if (!name.includes('Bytes')) return value.toLocaleString('en');
  return value < 1024 * 1024 ? `${value / 1024} KiB` : `${value / 1024 / 1024} MiB`;
}

it('the reference lists every limit with its value, and no other', () => {
  const listed = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, value]) => [name, value?.trim()]);
  expect(listed).toEqual(Object.entries(defaultLimits).map(([name, value]) => [name, shown(name, value)]));
});

it('the reference states what minima add to each total', () => {
  const sums = [...page.matchAll(/^\| `(\w+)` \+ `(\w+)` \| ([^|]+) \|/gm)];
  const limits = new Map(Object.entries(defaultLimits));
  expect(sums.map(([, total = '', reserved = '']) => [total, reserved])).toEqual([
    ['maxRequests', 'maxReservedRequests'],
    ['maxBodiesBytes', 'maxReservedBodiesBytes'],
    ['maxAnswersBytes', 'maxReservedAnswersBytes'],
  ]);
  for (const [, total = '', reserved = '', sum] of sums) {
    expect(sum).toBe(shown(total, (limits.get(total) ?? 0) + (limits.get(reserved) ?? 0)));
  }
});

it('the minimum of each user admits one body of the maximal size', () => {
  expect(defaultLimits.minBodiesBytesPerUser).toBe(defaultLimits.maxBodyBytes);
});
