import type { IncomingMessage } from 'node:http';
import { STSClient } from '@aws-sdk/client-sts';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { signingTime } from '../../packages/driver-awsirsa/fixtures/token-user.ts';
import { region } from './account.ts';

/** Keys that STS issued. */
export interface IssuedKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** The public name of STS. */
export const stsHost = `sts.${region}.amazonaws.com`;

/** Whether the URL was signed with these keys for this method and these headers, as STS itself finds out. */
export async function isSigned(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  query: URLSearchParams,
  keys: IssuedKeys,
): Promise<boolean> {
  const signer = new SignatureV4({
    service: 'sts',
    region,
    credentials: keys,
    sha256: new STSClient({ region }).config.sha256,
  });
  const signedHeaders = (query.get('X-Amz-SignedHeaders') ?? '').split(';');
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, `${request.headers[name] ?? ''}`]));
  const own = new HttpRequest({
    method: request.method ?? '',
    protocol: 'https:',
    hostname: stsHost,
    path: '/',
    query: { Action: query.get('Action') ?? '', Version: query.get('Version') ?? '' },
    headers,
  });
  const signed = await signer.presign(own, {
    expiresIn: Number(query.get('X-Amz-Expires')),
    signingDate: new Date(signingTime(query)),
  });
  return signed.query?.['X-Amz-Signature'] === query.get('X-Amz-Signature');
}
