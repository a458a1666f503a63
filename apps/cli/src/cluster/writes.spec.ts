import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { startPreflight } from '../managed/preflight-report.ts';
import { startProgress } from '../output/progress.ts';
import { confirmChanges } from './writes.ts';

it('asks on a terminal with the row of the spinner cleared, and draws nothing until the answer', async () => {
  const clock = new FakeClock();
  const chunks: string[] = [];
  using progress = startProgress({ err: { isTTY: true, write: (text) => chunks.push(text) }, clock });
  await startPreflight(progress)('name is free', () => {});
  const ask = async (question: string) => {
    chunks.push(question);
    await clock.advance(1000);
    return 'y';
  };
  const changes = new Map([['Klusterlet klusterlet', [{ field: 'spec.clusterName', from: 'a', to: 'b' }]]]);
  await confirmChanges({ ask }, changes, { progress });
  expect(chunks.slice(-3)).toEqual(['\r\x1b[K', '\x1b[?25h', 'Change it? [y/N] ']);
});
