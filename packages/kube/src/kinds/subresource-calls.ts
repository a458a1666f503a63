import type { KubeObject, ResourceType } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { splitKey } from '../meta/keys.ts';
import { formatTime } from '../meta/time.ts';
import type { KubeClient } from '../resources/kube-client.ts';
import type { CallOptions, DeleteOptions, WriteOptions } from '../resources/resource-handle.ts';
import { certificateSigningRequests, pods, serviceAccounts } from './built-in-kinds.ts';
import type { CertificateSigningRequest, Eviction, Scale, TokenRequest } from './built-in-types.ts';

/** A token of a service account. Secret: never log it. */
export interface ServiceAccountToken {
  token: string;
  /** RFC 3339; may be sooner or later than what was asked for. */
  expirationTimestamp: string;
}

/** What a token is asked for. */
export interface TokenRequestOptions extends CallOptions {
  /** Default: the API server itself. */
  audiences?: string[];
  /** Default: an hour; the server gives at least ten minutes. */
  expirationSeconds?: number;
  /** The token dies with this object. */
  boundObjectRef?: { apiVersion: string; kind: string; name: string; uid: string };
}

/** Asks for a token of a service account. */
export async function createToken(
  client: Pick<KubeClient, 'resource'>,
  serviceAccount: ObjectKey,
  { audiences = [], expirationSeconds, boundObjectRef, ...call }: TokenRequestOptions = {},
): Promise<ServiceAccountToken> {
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences, expirationSeconds, boundObjectRef },
  };
  const handle = client.resource(serviceAccounts);
  const { status } = await handle.createSubresource<TokenRequest>('token', serviceAccount, request, call);
  if (!status?.token || !status.expirationTimestamp) {
    throw new KubeError('Decode', `the token request for ${serviceAccount} was answered without a token`);
  }
  return { token: status.token, expirationTimestamp: status.expirationTimestamp };
}

/** Asks a pod to go, if its disruption budget allows: `TooManyRequests` if not now. Absence is not an error. */
export async function evictPod(
  client: Pick<KubeClient, 'resource'>,
  pod: ObjectKey,
  { preconditions, propagationPolicy, gracePeriodSeconds, dryRun, ...call }: DeleteOptions = {},
): Promise<void> {
  const eviction: Eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: splitKey(pod),
    deleteOptions: { preconditions, propagationPolicy, gracePeriodSeconds, dryRun: dryRun ? ['All'] : undefined },
  };
  try {
    await client.resource(pods).createSubresource('eviction', pod, eviction, call);
  } catch (error) {
    if (!KubeError.is(error, 'NotFound')) throw error;
  }
}

/** Sets the number of replicas of anything that has a scale. */
export async function scale<T extends KubeObject>(
  client: Pick<KubeClient, 'resource'>,
  type: ResourceType<T>,
  key: ObjectKey,
  replicas: number,
  options?: WriteOptions,
): Promise<void> {
  const handle = client.resource(type).subresource<Scale>('scale');
  await handle.patch(key, { type: 'merge', body: { spec: { replicas } } }, options);
}

/** Why a certificate signing request is approved or denied. */
export interface ApprovalInput {
  type: 'Approved' | 'Denied';
  /** One PascalCase word. */
  reason: string;
  message: string;
}

/**
 * Approves or denies a certificate signing request as it was read. Nothing is sent if that was said before.
 * The whole object is replaced, so a request that changed since then is a `Conflict`: read it again.
 */
export async function setApproval(
  client: Pick<KubeClient, 'resource'>,
  request: CertificateSigningRequest,
  { type, reason, message }: ApprovalInput,
  { now, ...options }: WriteOptions & { now: number },
): Promise<CertificateSigningRequest> {
  const conditions = request.status?.conditions ?? [];
  if (conditions.some((condition) => condition.type === type)) return request;
  const time = formatTime(now);
  const approval = { type, status: 'True', reason, message, lastUpdateTime: time, lastTransitionTime: time };
  return client
    .resource(certificateSigningRequests)
    .subresource<CertificateSigningRequest>('approval')
    .replace({ ...request, status: { ...request.status, conditions: [...conditions, approval] } }, options);
}
