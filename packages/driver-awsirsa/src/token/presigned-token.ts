import type { STSClient } from '@aws-sdk/client-sts';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';

/** A bearer token for an EKS cluster. */
export interface EksToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The cluster that a token is for. */
export interface TokenTarget {
  readonly region: string;
  /** Its name in EKS. */
  readonly name: string;
}

/** Keys of a session, as AssumeRole answers. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const prefix = 'k8s-aws-v1.';
/** STS accepts the URL for fifteen minutes whatever it says; aws-iam-authenticator wants to read sixty seconds. */
const urlExpiresSeconds = 60;
/** A minute less than STS accepts, as `aws eks get-token` announces it. */
const lifetimeMs = 14 * 60_000;

/**
 * Makes the token by which EKS knows a role: a request to STS for the caller's identity, signed but not sent. The header
 * `x-k8s-aws-id` binds it to one cluster. The URL names the public host of STS in the hub's region and partition, whatever
 * endpoint this process itself uses, because the hub sends the request.
 */
export async function presignToken(
  sts: STSClient,
  credentials: SessionCredentials,
  hub: TokenTarget,
  now: number,
): Promise<EksToken> {
  const endpoint = sts.config.endpointProvider({ Region: hub.region, UseGlobalEndpoint: false });
  const signer = new SignatureV4({ service: 'sts', region: hub.region, credentials, sha256: sts.config.sha256 });
  const request = new HttpRequest({
    method: 'GET',
    protocol: 'https:',
    hostname: endpoint.url.hostname,
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host: endpoint.url.hostname, 'x-k8s-aws-id': hub.name },
  });
  const signed = await signer.presign(request, { expiresIn: urlExpiresSeconds, signingDate: new Date(now) });
  const url = `https://${signed.hostname}/?${encodeQuery(signed.query ?? {})}`;
  return { token: prefix + Buffer.from(url).toString('base64url'), expiresAt: now + lifetimeMs };
}

const encodeQuery = (query: HttpRequest['query']): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
