import { text } from 'node:stream/consumers';
import type { Clock } from '@flotilla/kube';
import { isLoopback } from '@flotilla/kube/transport';
import { type LogLevel, logLevels, type ProcessLogger } from '../log/create-logger.ts';
import type { Reply, Route, ServedRequest } from '../serving/route.ts';
import { cpuProfile, heapSnapshot, heapStatistics } from './profiles.ts';

/** What the debug endpoints need. */
export interface DebugOptions {
  log: ProcessLogger;
  clock: Clock;
  /** Also for callers on other hosts. A heap snapshot contains every secret in memory. */
  allowRemote?: boolean;
}

const longestProfileSeconds = 300;

/**
 * `/debug/profile/cpu?seconds=10`, `/debug/profile/heap`, `/debug/heap-stats`, and `/debug/log-level` (GET, or PUT of a level).
 * To this host only, unless remote callers are allowed: in a cluster, through `kubectl port-forward`.
 */
export function debugRoutes({ log, clock, allowRemote = false }: DebugOptions): Route[] {
  let profiling = false;
  const guarded = (route: Route): Route => ({
    ...route,
    handle: (request) => (allowRemote || isLocal(request) ? route.handle(request) : refused),
  });
  const routes: Route[] = [
    {
      path: '/debug/profile/cpu',
      async handle({ url, signal }) {
        const seconds = Number(url.searchParams.get('seconds') ?? '10');
        if (!(seconds > 0 && seconds <= longestProfileSeconds)) {
          return { status: 400, body: `seconds must be a number from 1 to ${longestProfileSeconds}\n` };
        }
        if (profiling) return { status: 409, body: 'another profile is being taken; try again when it is done\n' };
        profiling = true;
        try {
          log.info('taking a CPU profile', { seconds });
          const body = await cpuProfile({ ms: seconds * 1000, clock, signal });
          return { status: 200, body, contentType: 'application/json', fileName: 'process.cpuprofile' };
        } finally {
          profiling = false;
        }
      },
    },
    {
      path: '/debug/profile/heap',
      handle() {
        log.info('taking a heap snapshot');
        return {
          status: 200,
          body: heapSnapshot(),
          contentType: 'application/json',
          fileName: 'process.heapsnapshot',
        };
      },
    },
    {
      path: '/debug/heap-stats',
      handle: () => ({ status: 200, body: heapStatistics(), contentType: 'application/json' }),
    },
    { path: '/debug/log-level', handle: () => ({ status: 200, body: `${log.level}\n` }) },
    {
      path: '/debug/log-level',
      method: 'PUT',
      async handle({ message }) {
        const wanted = (await text(message)).trim();
        const level = logLevels.find((candidate): candidate is LogLevel => candidate === wanted);
        if (!level) return { status: 400, body: `the level must be one of ${logLevels.join(', ')}\n` };
        log.level = level;
        return { status: 200, body: `${level}\n` };
      },
    },
  ];
  return routes.map(guarded);
}

const refused: Reply = {
  status: 403,
  body: 'debug endpoints answer to this host only; use kubectl port-forward, or start with --profiling-allow-remote\n',
};

/** The Host header too: a page in a browser on this host may have pointed its own name at 127.0.0.1 (DNS rebinding). */
function isLocal({ message }: ServedRequest): boolean {
  const host = URL.parse(`http://${message.headers.host ?? ''}`)?.hostname.replace(/^\[|\]$/g, '');
  return isLoopback(message.socket.remoteAddress) && isLoopback(host);
}
