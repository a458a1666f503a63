import { X509Certificate } from 'node:crypto';
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';

/** What a call says about its sender. */
export interface CallContext {
  /** The client certificate, verified by the listener; absent if the client showed none. */
  readonly certificate?: X509Certificate;
  /** The value of the metadata `authorization`. */
  readonly authorization?: string;
  /** Address and port, for logs. */
  readonly peer: string;
}

/** Reads a call. */
export function callContext(
  call:
    | ServerUnaryCall<unknown, unknown>
    | ServerWritableStream<unknown, unknown>
    | ServerDuplexStream<unknown, unknown>,
): CallContext {
  const raw = call.getAuthContext().sslPeerCertificate?.raw;
  const [authorization] = call.metadata.get('authorization');
  return {
    peer: call.getPeer(),
    ...(raw && { certificate: new X509Certificate(raw) }),
    ...(typeof authorization === 'string' && { authorization }),
  };
}
