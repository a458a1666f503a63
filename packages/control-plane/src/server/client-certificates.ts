import type { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '@flotilla/kube';
import type { ApiRequest } from '../contracts/exchange.ts';

/** What a connection says about its client. */
export type ClientCertificate = Pick<ApiRequest, 'certificate' | 'certificateRefused'>;

/** What was read of a connection, and until when it counts. */
interface ReadCertificate {
  readonly shown: ClientCertificate;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

const refused: ClientCertificate = { certificateRefused: true };

/**
 * The client certificate that a request came with. It belongs to the connection and is decoded once for each, because that takes longer than
 * answering a request; its end is checked at each request, because a connection may outlive it.
 */
export function clientCertificates(clock: Pick<Clock, 'now'>): (request: Http2ServerRequest) => ClientCertificate {
  const known = new WeakMap<object, ReadCertificate>();
  return (request) => {
    // HTTP/2 shows each request a socket object of its own; the session is what they share. HTTP/1.1 has none.
    const connection = request.stream?.session ?? request.socket;
    let read = known.get(connection);
    if (!read) {
      read = readCertificate(request.socket);
      known.set(connection, read);
    }
    return clock.now() > read.notAfter ? refused : read.shown;
  };
}

const nothing: ReadCertificate = { shown: {}, notAfter: Number.POSITIVE_INFINITY };

function readCertificate(socket: Socket | TLSSocket): ReadCertificate {
  if (!(socket instanceof TLSSocket)) return nothing;
  const { subject, fingerprint256, valid_to } = socket.getPeerCertificate();
  if (!socket.authorized) return subject ? { ...nothing, shown: refused } : nothing;
  if (!subject?.CN) return nothing;
  const commonName = [subject.CN].flat().at(-1) ?? '';
  const organizations = subject.O === undefined ? [] : [subject.O].flat();
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
  return { shown: { certificate: { commonName, organizations, fingerprint } }, notAfter: Date.parse(valid_to) };
}
