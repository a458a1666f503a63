import { Label } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests, selfSubjectReviews } from '@flotilla/kube/kinds';
import type { AgentIdentity, IssuerContext } from '../contract/index.ts';
import { isRequestFor } from './certificate-request.ts';
import { decisionOn, type RequestTemplate } from './request.template.ts';

/** The requests of one template on the hub, as long as a connection lasts. */
export interface OwnRequests {
  /** The newest known state; undefined if it is not there. */
  get(name: string): Promise<CertificateSigningRequest | undefined>;
  /** The name of the request for a key, which this process or an earlier one made; undefined if there is none. */
  nameFor(key: string): Promise<string | undefined>;
  /** How many of them wait for a decision. */
  countUndecided(): Promise<number>;
}

/** More undecided requests than this, and no more are made until one is decided. */
export const mostUndecided = 10;
const syncTimeoutMs = 30_000;

/** Watches the requests, and wakes the issuer when one changes. */
export function watchOwnRequests(
  { hub, informers, requests, signal, wake }: IssuerContext,
  { clusterName }: AgentIdentity,
  template: RequestTemplate,
): OwnRequests {
  const labelSelector = `${Label.ClusterName}=${clusterName}`;
  const cache = requests?.() ?? informers.resource(certificateSigningRequests, { labelSelector });
  const subscription = cache.changes.subscribe(({ object, initial }) => {
    if (!initial && template.owns(object)) wake();
  });
  signal.addEventListener('abort', () => {
    subscription.unsubscribe();
    cache.close();
  });
  const list = async (): Promise<CertificateSigningRequest[]> => {
    await cache.whenSynced({ signal, timeoutMs: syncTimeoutMs });
    return cache.list().filter((request) => template.owns(request));
  };

  return {
    // The cache may be older than the request.
    get: async (name) => cache.get(name) ?? (await hub.resource(certificateSigningRequests).find(name, { signal })),
    async nameFor(key) {
      for (const { metadata, spec } of await list()) {
        const pem = Buffer.from(spec.request, 'base64').toString('utf8');
        if (metadata?.name !== undefined && (await isRequestFor(pem, key))) return metadata.name;
      }
      return undefined;
    },
    async countUndecided() {
      const undecided = (await list()).filter((request) => decisionOn(request).kind === 'undecided');
      if (undecided.length < mostUndecided) return undecided.length;
      // Any user may label requests with the name of the cluster: those do not count.
      const user = await requesterOf(hub, signal);
      return undecided.filter(({ spec }) => user === undefined || spec.username === user).length;
    },
  };
}

/** The user that the hub authenticates a client as; undefined if the hub does not report it, as servers before Kubernetes 1.28. */
async function requesterOf(hub: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await hub.resource(selfSubjectReviews).create({}, { signal })).status?.userInfo?.username;
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'Forbidden')) return undefined;
    throw error;
  }
}
