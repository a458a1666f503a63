import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { serverLimits } from './limits.ts';

const page = readFileSync(new URL('../../../../docs/reference/server-limits.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## Webhooks\n');
const [tables = ''] = section.split('\n## ');

function shown(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${value / 1000} s`;
  return name.endsWith('Bytes') ? `${value / 1024 / 1024} MiB` : value.toLocaleString('en');
}

it('the page docs/reference/server-limits.md lists every limit of the server of a process with its value, and no other', () => {
  const listed = [...tables.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, value]) => [name, value?.trim()]);
  const limits = serverLimits;
  expect(listed).toEqual(Object.entries(limits).map(([name, value]) => [name, shown(name, value)]));
});
