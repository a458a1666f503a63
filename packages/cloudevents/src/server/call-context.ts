import { X509Certificate } from 'node:crypto';
import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';

/** What a call says about its sender. */
export interface CallContext {
  /** The client certificate, verified by the listener; absent if the client showed none. */
  readonly certificate?: X509Certificate;
  /** The value of the metadata `authorization`. */
  readonly authorization?: string;
  /** Address and port. */
  readonly peer: string;
}

/** Reads what comes before the content of a call. */
export function readCallContext(
  call: Pick<ServerUnaryCall<unknown, unknown>, 'getPeer' | 'getAuthContext'>,
  metadata: Metadata,
): CallContext {
  const raw = call.getAuthContext().sslPeerCertificate?.raw;
  const [authorization] = metadata.get('authorization');
  return {
    peer: call.getPeer(),
    ...(raw && { certificate: new X509Certificate(raw) }),
    ...(typeof authorization === 'string' && { authorization }),
  };
}
