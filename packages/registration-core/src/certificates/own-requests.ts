import { Annotation, Label } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests, selfSubjectReviews } from '@flotilla/kube/kinds';
import type { AgentIdentity, IssuerContext } from '../contract/index.ts';
import { isRequestFor } from './certificate-request.ts';
import { decisionOn, type RequestTemplate, requestName } from './request.template.ts';
import { withoutBody } from './request-cache.ts';
import { requesterOf } from './requester.ts';
import { clusterSubject } from './subject.ts';

/** The requests of one template on the hub, as long as a connection lasts. */
export interface OwnRequests {
  /** The newest state, with the certificate and the reasons of the hub if there is a decision; undefined if it is not there. */
  get(name: string): Promise<CertificateSigningRequest | undefined>;
  /** The name of the request for a key, which this process or an earlier one made; undefined if there is none. */
  nameFor(key: string): Promise<string | undefined>;
  /** Records the name of a request that this agent made. */
  remember(name: string): void;
  /**
   * How many requests of this agent wait for a decision. Any user may label requests with the name of the cluster: those do not count. What
   * is asked for over the agent's own connection is known by its user. Bootstrap users may be shared by all clusters and are not known over
   * gRPC, so of first requests only those that this process made or continued are known.
   */
  countUndecided(isRenewal: boolean): Promise<number>;
  /** Whether another user sent a request for a key of this agent: the bootstrap user. */
  isOfBootstrapUser(request: CertificateSigningRequest): Promise<boolean>;
}

/** More undecided requests than this, and no more are made until one is decided. */
export const maxUndecided = 10;
const syncTimeoutMs = 30_000;

/** Whose requests to watch. */
export interface OwnRequestsOptions {
  readonly identity: AgentIdentity;
  readonly template: RequestTemplate;
  /** Names of requests that this process made or continued; kept over connections. */
  readonly made: Set<string>;
}

/** Watches the requests, and wakes the issuer when one changes. */
export function watchOwnRequests(
  { hub, informers, requests, signal, wake }: IssuerContext,
  { identity, template, made }: OwnRequestsOptions,
): OwnRequests {
  const labelSelector = `${Label.ClusterName}=${identity.clusterName}`;
  const agentUser = clusterSubject(identity).user;
  const cache =
    requests?.() ?? informers.resource(certificateSigningRequests, { labelSelector, transform: withoutBody });
  const subscription = cache.changes.subscribe(({ object, initial }) => {
    if (!initial && template.owns(object)) wake();
  });
  signal.addEventListener('abort', () => {
    subscription.unsubscribe();
    cache.close();
  });
  const synced = () => cache.whenSynced({ signal, timeoutMs: syncTimeoutMs });
  const find = (name: string) => hub.resource(certificateSigningRequests).find(name, { signal });

  return {
    async get(name) {
      const known = cache.get(name);
      // The cache may be older than the request, and has no certificates.
      return known && decisionOn(known).kind === 'undecided' ? known : find(name);
    },
    async nameFor(key) {
      await synced();
      const name = requestName(template, key);
      const request = cache.get(name) && (await find(name));
      const pem = Buffer.from(request?.spec.request ?? '', 'base64').toString('utf8');
      return request && template.owns(request) && (await isRequestFor(pem, key)) ? name : undefined;
    },
    remember: (name) => made.add(name),
    async countUndecided(isRenewal) {
      await synced();
      const undecided = cache
        .list()
        .filter((request) => template.owns(request) && decisionOn(request).kind === 'undecided');
      const names = new Set(undecided.map(({ metadata }) => metadata?.name ?? ''));
      for (const name of made) if (!names.has(name)) made.delete(name);
      const isAsAgent = isRenewal || template.labels[Label.AddOnName] !== undefined;
      if (undecided.length < maxUndecided || !isAsAgent) return made.size;
      const user = (await authenticatedUser(hub, signal)) ?? agentUser;
      return undecided.filter((request) => requesterOf(request) === user || made.has(request.metadata?.name ?? ''))
        .length;
    },
    async isOfBootstrapUser(request) {
      // A gRPC server creates requests as itself and names who sent them.
      const sender = request.metadata?.annotations?.[Annotation.CsrUser] ?? request.spec.username;
      if (sender === undefined || sender === agentUser) return false;
      const user = await authenticatedUser(hub, signal);
      // A hub that does not report it knows this agent by the user of its certificates.
      return user === undefined || request.spec.username !== user;
    },
  };
}

/** The user that the hub authenticates a client as; undefined if the hub does not report it, as servers before Kubernetes 1.28. */
async function authenticatedUser(hub: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await hub.resource(selfSubjectReviews).create({}, { signal })).status?.userInfo?.username;
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'Forbidden')) return undefined;
    throw error;
  }
}
