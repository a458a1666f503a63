import { mayRegister } from '@flotilla/api-types';
import { type Admitted, type Authorizer, clusterNameOf } from '@flotilla/cloudevents';
import { type Clock, KubeError } from '@flotilla/kube';
import type { Authenticator } from '../authn/authenticator.ts';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import { type Caller, clusterOfCaller } from '../caller.ts';
import type { AccessReviewer } from './access-reviewer.ts';
import { admissionOf } from './admission-of.ts';
import { publishAttributes, subscribeAttributes } from './attributes.ts';
import type { OpenStreams } from './open-streams.ts';

/** A token can be revoked at any time. A certificate cannot: what its user may do is checked when the cluster or its rights change, and seldom. */
const tokenCheckMs = 10_000;
const certificateCheckMs = 5 * 60_000;

/** Options of `createAuthorizer`. */
export interface AuthorizerDeps {
  readonly authenticate: Authenticator;
  readonly reviewer: AccessReviewer;
  readonly streams: OpenStreams;
  readonly budgets: ClusterBudgets;
  readonly clock: Clock;
}

/** Decides by who the caller is on the hub: the API server knows the rights. */
export function createAuthorizer({
  authenticate,
  reviewer,
  streams,
  budgets,
  clock,
}: AuthorizerDeps): Authorizer<Caller> {
  return {
    admit: async (call) => admissionOf(budgets, await authenticate(call), call),
    async publish(event, type, call) {
      const caller = await authenticate(call);
      const clusterName = clusterNameOf(event);
      requireOwnCluster(caller, clusterName);
      // Of a user that is no agent: whatever clusters it names, and before anything is kept for the one of this event.
      const shared = budgets.ofCaller(caller);
      shared.take('events');
      await reviewer.require(caller, publishAttributes(event, type));
      const budget = budgets.of(caller, clusterName);
      if (budget !== shared) budget.take('events');
      if (type.action === 'resync_request') budget.take('resyncs');
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
      const budget = budgets.of(caller, clusterName);
      budget.take('subscriptions');
      const release = budget.hold('streams');
      const { revoked, stop } = streams.add(clusterName, checkEveryMs(caller, clock), async () => void (await check()));
      const onEnd = () => {
        stop();
        release();
      };
      return { revoked, onEnd };
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
