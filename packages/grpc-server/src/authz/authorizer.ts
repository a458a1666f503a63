import { mayRegister } from '@flotilla/api-types';
import { type Admitted, type Authorizer, Extension, requiredExtension } from '@flotilla/cloudevents';
import { type Clock, KubeError } from '@flotilla/kube';
import type { Authenticator } from '../authn/authenticator.ts';
import { type Caller, clusterOfCaller } from '../caller.ts';
import type { AccessReviewer } from './access-reviewer.ts';
import { publishAttributes, subscribeAttributes } from './attributes.ts';
import type { OpenStreams } from './open-streams.ts';
import type { PublishLimiter } from './publish-limiter.ts';

/** A token can be revoked at any time. A certificate cannot: what its user may do is checked when the cluster or its rights change, and seldom. */
const tokenCheckMs = 10_000;
const certificateCheckMs = 5 * 60_000;

/** What decisions are made with. */
export interface AuthorizerDeps {
  readonly authenticate: Authenticator;
  readonly reviewer: AccessReviewer;
  readonly streams: OpenStreams;
  readonly limiter: PublishLimiter;
  readonly clock: Clock;
}

/** Decides by who the caller is on the hub: the API server knows the rights. */
export function createAuthorizer({
  authenticate,
  reviewer,
  streams,
  limiter,
  clock,
}: AuthorizerDeps): Authorizer<Caller> {
  return {
    async publish(event, type, call) {
      const caller = await authenticate(call);
      const clusterName = requiredExtension(event, Extension.ClusterName);
      requireOwnCluster(caller, clusterName);
      limiter.take(clusterName);
      await reviewer.require(caller, publishAttributes(event, type));
      return caller;
    },
    async subscribe({ clusterName, dataType }, call): Promise<Admitted> {
      const attributes = subscribeAttributes(dataType, clusterName);
      const check = async (): Promise<Caller> => {
        const caller = await authenticate(call);
        requireOwnCluster(caller, clusterName);
        await reviewer.require(caller, attributes);
        return caller;
      };
      const caller = await check();
      const { revoked, stop } = streams.add(clusterName, checkEveryMs(caller, clock), async () => void (await check()));
      return { revoked, onEnd: stop };
    },
  };
}

/** The agent of a cluster, and the holder of a join token for one, acts for that cluster, whatever the roles of the hub say. */
function requireOwnCluster(caller: Caller, clusterName: string): void {
  const own = clusterOfCaller(caller);
  if ((own === undefined || own === clusterName) && mayRegister(caller.groups, clusterName)) return;
  throw new KubeError('Forbidden', `access denied: ${caller.user} acts for cluster ${clusterName}`, { status: 403 });
}

/** A stream does not outlive the certificate that it was opened with. */
export function checkEveryMs(caller: Caller, clock: Clock): number {
  if ('token' in caller.by) return tokenCheckMs;
  const left = caller.by.certificateUntil - clock.now();
  return Math.max(1000, Math.min(certificateCheckMs, left + 1000));
}
