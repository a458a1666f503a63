import { klusterlets, ObjectName } from '@flotilla/api-types';
import {
  type Clock,
  createInformers,
  defineController,
  done,
  isDeleting,
  type Logger,
  on,
  runControllers,
} from '@flotilla/kube';
import { runKlusterlet } from '../klusterlet/run-klusterlet.ts';
import type { ApiServer } from './api-server.ts';

/** Runs the agent of a managed cluster as long as the cluster has a Klusterlet, which `join` creates and `unjoin` deletes. */
export function superviseAgent(server: ApiServer, { clock, log }: { clock: Clock; log: Logger }): AsyncDisposable {
  const { client } = server;
  const informers = createInformers({ client, clock, log });
  const installed = informers.resource(klusterlets);
  let agent: { clusterName: string; end: AbortController; ended: Promise<void> } | undefined;
  const stop = async () => {
    agent?.end.abort();
    await agent?.ended;
    agent = undefined;
  };
  const controller = defineController({
    name: `agent of ${server.name}`,
    watches: [on(installed)],
    concurrency: 1,
    async reconcile(name) {
      if (name !== ObjectName.Klusterlet) return done;
      const klusterlet = installed.get(name);
      const clusterName = klusterlet && !isDeleting(klusterlet) ? klusterlet.spec?.clusterName : undefined;
      if (agent?.clusterName === clusterName) return done;
      await stop();
      if (!clusterName || !klusterlet) return done;
      const end = new AbortController();
      const ended = runKlusterlet({
        managed: client,
        access: server.access,
        klusterlet,
        clock,
        log,
        signal: end.signal,
      }).catch((error: unknown) => log.error('an agent ended', { cluster: clusterName, err: error }));
      agent = { clusterName, end, ended };
      return done;
    },
  });
  const end = new AbortController();
  const running = runControllers([controller], { signal: end.signal, clock, log });
  running.catch((error: unknown) => log.error('the supervisor of an agent ended', { err: error }));
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
      await stop();
      informers.close();
    },
  };
}
