import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type RuleAnswer, type RuleTask, workerMark } from './protocol.ts';

/**
 * The file to start as a worker: this one, also where a program is bundled into few files. It imports what a task needs when the first
 * such task comes, and nothing but this package.
 */
export const workerUrl = import.meta.url;

if (!isMainThread && workerData === workerMark && parentPort) serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  port.on('message', (task: RuleTask) => {
    answerTo(task, () => port.postMessage({ type: 'started' } satisfies RuleAnswer)).then(
      (answer) => port.postMessage(answer),
      // Thrown outside of a promise, it ends the worker, and the task fails with it.
      (error: unknown) =>
        queueMicrotask(() => {
          throw error;
        }),
    );
  });
}

async function answerTo(task: RuleTask, started: () => void): Promise<RuleAnswer> {
  if (task.language === 'cel') {
    const { evaluateSource } = await import('./evaluate-source.ts');
    started();
    return evaluateSource(task);
  }
  const { loadJq } = await import('./load-jq.ts');
  const run = await loadJq();
  started();
  return { type: 'jq', output: run(task.json, task.filter) };
}
