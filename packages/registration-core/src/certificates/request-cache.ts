import { Annotation, Label, UserName } from '@flotilla/api-types';
import type { CachedResource, Informers } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests, withoutRequestBody } from '@flotilla/kube/kinds';
import { requesterOf } from './requester.ts';

/**
 * What is kept of a request: who asks whom for what, and how far it got. Any agent may create requests of a megabyte, and label them with
 * the name of another cluster, so their bodies stay on the server until one is acted on.
 */
export const withoutBody = withoutRequestBody({
  labels: [Label.ClusterName, Label.AddOnName],
  annotations: [Annotation.CsrUser, Annotation.CsrGroups],
});

const bySender = 'sender';

/** Whether a request is approved or denied. */
export const isDecided = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied') === true;

const undecidedSender = (request: CertificateSigningRequest): string[] =>
  isDecided(request) ? [] : [requesterOf(request) ?? ''];

/** The requests of the hub without their bodies. All controllers of a process share one watch and one store of them. */
export const requestCache = (
  informers: Informers,
  indexes: Readonly<Record<string, (request: CertificateSigningRequest) => readonly string[]>> = {},
): CachedResource<CertificateSigningRequest> =>
  informers.resource(certificateSigningRequests, {
    transform: withoutBody,
    indexes: { ...indexes, [bySender]: undecidedSender },
  });

/** Undecided requests of one agent that the hub acts on. An agent asks for itself and for its add-ons, and waits after ten of each. */
export const maxUndecidedOfAgent = 200;

/** The cluster of a user that is an agent. */
export const clusterOfAgent = (user: string | undefined): string | undefined =>
  user === undefined ? undefined : UserName.Agent.parse(user)?.cluster;

/** How many requests of a user wait for a decision. */
export const undecidedOf = (
  requests: Pick<CachedResource<CertificateSigningRequest>, 'byIndex'>,
  user: string,
): number => requests.byIndex(bySender, user).length;
