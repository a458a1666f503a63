import type { Duplex } from 'node:stream';
import { ClusterProxyApi, tunnelPath } from '@flotilla/api-types';
import type { TunnelHandler } from '@flotilla/cloudevents';
import { type Clock, KubeError } from '@flotilla/kube';
import type { Transport, UpgradeResponse } from '@flotilla/kube/transport';
import type { Authenticator } from '../authn/authenticator.ts';
import type { AccessReviewer } from '../authz/access-reviewer.ts';
import { checkEveryMs } from '../authz/authorizer.ts';
import type { OpenStreams } from '../authz/open-streams.ts';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import { clusterOfCaller } from '../caller.ts';
import { tunnelOpenMs } from '../limits.ts';

/** Options of `createTunnelHandler`. */
export interface TunnelDeps {
  readonly authenticate: Authenticator;
  readonly reviewer: AccessReviewer;
  readonly streams: OpenStreams;
  readonly budgets: ClusterBudgets;
  /** The API server of the hub, as this process. */
  readonly hub: Pick<Transport, 'upgrade'>;
  readonly clock: Clock;
}

/**
 * Opens the tunnel of a cluster on the API of the hub, as this process and for the agent that asks. It is that of the cluster whose agent
 * the caller is, and ends when the cluster loses the right to it.
 */
export function createTunnelHandler(deps: TunnelDeps): TunnelHandler {
  const { authenticate, reviewer, streams, budgets, hub, clock } = deps;
  return async ({ clusterName, call, signal }) => {
    const admit = async () => {
      const caller = await authenticate(call);
      if (clusterName === '' || clusterOfCaller(caller) !== clusterName) {
        const message = `access denied: ${caller.user} cannot open the tunnel of cluster ${clusterName}`;
        throw new KubeError('Forbidden', message, { status: 403 });
      }
      await reviewer.require(caller, attributesOf(clusterName));
      return caller;
    };
    const caller = await admit();
    if (!hub.upgrade) throw new KubeError('MethodNotAllowed', 'this server carries no tunnels', { status: 405 });
    const release = budgets.of(caller, clusterName).hold('tunnels');
    const watched = streams.add(clusterName, checkEveryMs(caller, clock), async () => void (await admit()));
    const stop = () => {
      watched.stop();
      release();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const { protocol } = ClusterProxyApi;
      const path = tunnelPath(clusterName);
      const ending = AbortSignal.any([signal, watched.revoked]);
      return opened(
        path,
        await hub.upgrade({ method: 'GET', path, protocol, signal: ending, deadlineMs: tunnelOpenMs }),
      );
    } catch (error) {
      stop();
      throw error;
    }
  };
}

const attributesOf = (clusterName: string) => ({
  verb: 'get',
  group: ClusterProxyApi.group,
  resource: ClusterProxyApi.tunnels,
  subresource: ClusterProxyApi.attach,
  namespace: clusterName,
  name: clusterName,
});

/** The agent is not told of a hub that refuses this process: it has done nothing wrong. */
function opened(path: string, answer: UpgradeResponse): Duplex {
  if (answer.switched) return answer.socket;
  answer.body.destroy();
  if (answer.status === 404) throw new KubeError('NotFound', `the hub does not serve ${path}`, { status: 404 });
  throw new KubeError('Unavailable', `the hub answers ${answer.status} to the tunnel of its gRPC server`);
}
