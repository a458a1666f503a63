import type { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ApiRequest } from './exchange.ts';

type Subject = NonNullable<ApiRequest['certificate']>;

/**
 * Tells whose certificate a request came with. It belongs to the connection and is read once for each: decoding it takes
 * longer than answering a request.
 */
export function clientCertificates(): (request: Http2ServerRequest) => Subject | undefined {
  const known = new WeakMap<object, { readonly subject: Subject | undefined }>();
  return (request) => {
    // HTTP/2 shows each request a socket object of its own; the session is what they share. HTTP/1.1 has none.
    const connection = request.stream?.session ?? request.socket;
    let read = known.get(connection);
    if (!read) {
      read = { subject: subjectOf(request.socket) };
      known.set(connection, read);
    }
    return read.subject;
  };
}

function subjectOf(socket: Socket | TLSSocket): Subject | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!subject?.CN) return undefined;
  const commonName = [subject.CN].flat().at(-1) ?? '';
  return {
    commonName,
    organizations: subject.O === undefined ? [] : [subject.O].flat(),
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}
