import { Label, manifestWorks } from '@flotilla/api-types';
import {
  applyConditions,
  createInformers,
  defineController,
  done,
  type KubeClient,
  on,
  runControllers,
  silentLogger,
} from '@flotilla/kube';

/** The agents of all clusters, as far as works of add-ons go: they report each one as applied and available. */
export function startWorkAgents(client: KubeClient): AsyncDisposable {
  const informers = createInformers({ client });
  const works = informers.resource(manifestWorks, { labelSelector: Label.AddOnName });
  const controller = defineController({
    name: 'work-agents',
    concurrency: 32,
    watches: [on(works)],
    async reconcile(key) {
      const work = works.get(key);
      if (!work) return done;
      const ready = (type: string) => ({ type, status: 'True', reason: 'Ready', message: 'ready' }) as const;
      await applyConditions(works, work, [ready('Applied'), ready('Available')]);
      return done;
    },
  });
  const end = new AbortController();
  const running = runControllers([controller], { signal: end.signal, log: silentLogger });
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      informers.close();
    },
  };
}
