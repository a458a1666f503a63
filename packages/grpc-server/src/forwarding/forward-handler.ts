import type { AddOnIdentity } from '@flotilla/api-types';
import { type ForwardHandler, type ForwardHead, isLongRunning } from '@flotilla/cloudevents';
import { type Clock, KubeError } from '@flotilla/kube';
import type { ForwardedResponse, Forwarder } from '@flotilla/kube/transport';
import type { Authenticator } from '../authn/authenticator.ts';
import type { AccessReviewer } from '../authz/access-reviewer.ts';
import { checkEveryMs } from '../authz/authorizer.ts';
import type { OpenStreams } from '../authz/open-streams.ts';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import { type Caller, clusterOfCaller } from '../caller.ts';
import { forwardedHeadMs, maxForwardedBytes } from '../limits.ts';
import type { AddOnRegistrations } from './add-on-registrations.ts';
import { CountedRequest } from './counted-request.ts';
import { ownRefusal } from './own-refusal.ts';
import { answerHeaders, checkedRequest } from './request.policy.ts';

/** Options of `createForwardHandler`. */
export interface ForwardDeps {
  readonly authenticate: Authenticator;
  readonly reviewer: AccessReviewer;
  readonly streams: OpenStreams;
  readonly registrations: AddOnRegistrations;
  readonly budgets: ClusterBudgets;
  readonly forwarder: Forwarder;
  readonly clock: Clock;
}

/**
 * Sends requests of add-ons to the API server, as the user that the add-on registered and with no right of this process. A request is
 * one of the cluster that the caller is the agent of, and loses its answer when the add-on or the cluster loses its registration.
 */
export function createForwardHandler(deps: ForwardDeps): ForwardHandler {
  const { authenticate, reviewer, streams, registrations, budgets, forwarder, clock } = deps;
  return async ({ head, body, call, signal }) => {
    const { clusterName, addOnName } = head;
    const admit = async (): Promise<{ caller: Caller; identity: AddOnIdentity }> => {
      const caller = await authenticate(call);
      requireAgent(caller, clusterName);
      await reviewer.require(caller, attributesOf(head));
      return { caller, identity: registrations.identityOf(clusterName, addOnName) };
    };
    const { caller, identity } = await admit();
    const request = checkedRequest(head);
    const counted = new CountedRequest(budgets.of(caller, clusterName));
    const { revoked, stop } = streams.add(clusterName, checkEveryMs(caller, clock), async () => {
      const now = await admit();
      if (JSON.stringify(now.identity) !== JSON.stringify(identity)) throw changed(head);
    });
    const end = () => {
      stop();
      counted.release();
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      const content = await readBody(body, counted);
      const response = await forwarder.forward({
        ...request,
        ...(content && { body: content }),
        impersonate: identity,
        signal: AbortSignal.any([signal, revoked]),
        deadlineMs: forwardedHeadMs,
      });
      const refusal = await ownRefusal(response, identity);
      const { status, headers } = response;
      return {
        status,
        headers: answerHeaders(headers),
        body: contentOf(response, refusal, { revoked, end, mayBeCut: isLongRunning(head.path) }),
      };
    } catch (error) {
      end();
      throw revoked.aborted ? revoked.reason : explained(error);
    }
  };
}

/** The rights of a cluster on its own add-ons begin with its acceptance and end with it. */
const attributesOf = ({ clusterName, addOnName }: ForwardHead) => ({
  verb: 'get',
  group: 'addon.open-cluster-management.io',
  resource: 'managedclusteraddons',
  namespace: clusterName,
  name: addOnName,
});

function requireAgent(caller: Caller, clusterName: string): void {
  if (clusterName !== '' && clusterOfCaller(caller) === clusterName) return;
  const message = `access denied: ${caller.user} cannot forward requests of add-ons of cluster ${clusterName}`;
  throw new KubeError('Forbidden', message, { status: 403 });
}

const changed = ({ clusterName, addOnName }: ForwardHead): KubeError =>
  new KubeError('Forbidden', `access denied: add-on ${addOnName} of cluster ${clusterName} has another identity now`, {
    status: 403,
  });

async function readBody(body: AsyncIterable<Uint8Array>, counted: CountedRequest): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxForwardedBytes) {
      throw new KubeError('RequestTooLarge', `the request is larger than ${maxForwardedBytes} bytes`, { status: 413 });
    }
    counted.hold(part.length);
    parts.push(part);
  }
  return size > 0 ? Buffer.concat(parts) : undefined;
}

async function* contentOf(
  response: ForwardedResponse,
  read: readonly Uint8Array[],
  { revoked, end, mayBeCut }: { revoked: AbortSignal; end: () => void; mayBeCut: boolean },
): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    for await (const chunk of response.body) yield chunk as Uint8Array;
    revoked.throwIfAborted();
    // A watch that the API server ends in the middle is opened again, as any that it ends.
    if (!response.isComplete() && !mayBeCut) throw lost();
  } catch (error) {
    if (revoked.aborted) throw revoked.reason;
    if (mayBeCut && !(error instanceof KubeError)) return;
    throw error instanceof KubeError ? error : lost(error);
  } finally {
    response.abort();
    end();
  }
}

const lost = (cause?: unknown): KubeError =>
  new KubeError('Unavailable', 'the API server of the hub was lost in the middle of its answer', { cause });

/** That the API server does not accept this process says nothing about the add-on. */
function explained(error: unknown): unknown {
  if (!KubeError.is(error, 'Unauthorized')) return error;
  const message = 'the gRPC server of the hub is not accepted by the API server at the moment';
  return new KubeError('Unavailable', message, { cause: error });
}
