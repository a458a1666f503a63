import type { Agent } from './agent.ts';
import type { JoinedHub } from './hub-session.ts';

/** A part of the process that works with the hub. Its signal aborts when the agent leaves the hub; it is called again for the next one. */
export type JoinedWork = (hub: JoinedHub, signal: AbortSignal) => Promise<void>;

/** Runs the work while the agent has a hub, one run at a time. Rejects as soon as a run does. */
export async function whileJoined(agent: Pick<Agent, 'hub$'>, signal: AbortSignal, work: JoinedWork): Promise<void> {
  let end: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const subscription = agent.hub$.subscribe((hub) => {
    end?.abort();
    if (!hub || signal.aborted) return;
    const scope = new AbortController();
    end = scope;
    const earlier = running;
    running = earlier.then(() => (scope.signal.aborted ? undefined : work(hub, scope.signal)));
    running.catch(reject);
  });
  const onAbort = () => {
    end?.abort();
    resolve();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await over;
    await running;
  } finally {
    subscription.unsubscribe();
    end?.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Runs an agent and the work beside it until the signal aborts. If either fails, the other ends too. */
export async function runWithWork(
  agent: Pick<Agent, 'hub$' | 'run'>,
  signal: AbortSignal,
  work: JoinedWork,
): Promise<void> {
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  const parts = [agent.run(both), whileJoined(agent, both, work)];
  try {
    await Promise.all(parts);
  } finally {
    end.abort();
    await Promise.allSettled(parts);
  }
}
