import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { RuleMemoryError, RuleTaskError, WorkerQueue } from './worker-queue.ts';

/** What a task is answered whose thread ends with an error. */
async function answerAfter(code: string): Promise<unknown> {
  using _ = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
    this.emit('error', Object.assign(new Error('the thread ended'), { code }));
  });
  return await new WorkerQueue()
    .run({ language: 'jq', json: '{}', filter: '.' }, 1000)
    .catch((error: unknown) => error);
}

it('says of a task that takes too much memory that it does', async () => {
  expect(await answerAfter('ERR_WORKER_OUT_OF_MEMORY')).toBeInstanceOf(RuleMemoryError);
});

it('says nothing about a task whose thread failed for another reason', async () => {
  const error = await answerAfter('ERR_WORKER_INIT_FAILED');
  expect(error).toBeInstanceOf(RuleTaskError);
  expect(error).not.toBeInstanceOf(RuleMemoryError);
});
