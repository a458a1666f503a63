import type { Admission, CallContext } from '@flotilla/cloudevents';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import { type Caller, clusterOfCaller } from '../caller.ts';
import { userReceiveMs } from '../limits.ts';

/** What a call of a party takes of its budget, until it ends. Throws `TooManyRequests` if the party has too many calls under way. */
export function admissionOf(
  budgets: ClusterBudgets,
  caller: Pick<Caller, 'user'>,
  { peer }: Pick<CallContext, 'peer'>,
): Admission {
  const budget = budgets.ofCaller(caller);
  const held = [budget.hold('calls')];
  let hasEnded = false;
  return {
    party: budget.party,
    maxConnections: budget.max('connections'),
    turn: (of) => budget.turn(of, peer),
    ...(clusterOfCaller(caller) === undefined && { receiveTimeoutMs: userReceiveMs }),
    hold(bytes) {
      budget.take('eventBytes', bytes);
      const release = budget.hold('heldBytes', bytes);
      if (hasEnded) release();
      else held.push(release);
    },
    release() {
      hasEnded = true;
      for (const release of held.splice(0)) release();
    },
  };
}
