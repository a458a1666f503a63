import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAuditLog } from './audit.ts';

const file = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), 'envtest-spec-')), 'audit.log');
  writeFileSync(path, text);
  return path;
};

test('each line is an event, and one still being written is left for next time', async () => {
  const events = await readAuditLog(file('{"verb":"get"}\n{"verb":"list"}\n{"verb":'));
  expect(events.map(({ verb }) => verb)).toEqual(['get', 'list']);
});

test('an empty log has no events', async () => {
  expect(await readAuditLog(file(''))).toEqual([]);
});

test('without auditing the error says how to turn it on', async () => {
  await expect(readAuditLog('/nowhere')).rejects.toThrow('start the cluster with `audit: true`');
});
