import type { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ApiRequest } from './exchange.ts';

/** What a connection says about its client. */
export type ClientCertificate = Pick<ApiRequest, 'certificate' | 'certificateRefused'>;

/**
 * Tells whose certificate a request came with. It belongs to the connection and is read once for each: decoding it takes
 * longer than answering a request.
 */
export function clientCertificates(): (request: Http2ServerRequest) => ClientCertificate {
  const known = new WeakMap<object, ClientCertificate>();
  return (request) => {
    // HTTP/2 shows each request a socket object of its own; the session is what they share. HTTP/1.1 has none.
    const connection = request.stream?.session ?? request.socket;
    let read = known.get(connection);
    if (!read) {
      read = certificateOf(request.socket);
      known.set(connection, read);
    }
    return read;
  };
}

function certificateOf(socket: Socket | TLSSocket): ClientCertificate {
  if (!(socket instanceof TLSSocket)) return {};
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!socket.authorized) return subject ? { certificateRefused: true } : {};
  if (!subject?.CN) return {};
  const commonName = [subject.CN].flat().at(-1) ?? '';
  const organizations = subject.O === undefined ? [] : [subject.O].flat();
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
  return { certificate: { commonName, organizations, fingerprint } };
}
