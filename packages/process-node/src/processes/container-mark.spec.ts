import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realClock } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { killMarked, markVariable, newMark } from './container-mark.ts';

const isLinux = process.platform === 'linux';

it.runIf(isLinux)('opens few files at a time, and asks again when there are none to open', async () => {
  const mark = newMark('spec');
  const child = spawn('/bin/sleep', ['86396'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  let open = 0;
  let most = 0;
  let isFirst = true;
  await killMarked(mark, realClock, async (pid) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    if (pid !== child.pid) return '';
    if (!isFirst) return child.killed || child.signalCode ? '' : `A=b\0${markVariable}=${mark}\0`;
    isFirst = false;
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  expect((await ended)[1]).toBe('SIGKILL');
  expect(most).toBeLessThanOrEqual(16);
});
