import { createGunzip } from 'node:zlib';
import { KubeError } from '../errors/kube-error.ts';
import type { Call } from './call.ts';
import type { IncomingHeaders } from './connection.ts';
import { flattenHeaders } from './flatten-headers.ts';
import type { KubeResponse } from './transport.ts';

/** A whole answer. Headers are made when they are read. */
class Answer implements KubeResponse {
  readonly status: number;
  readonly body: string;
  readonly #incoming: IncomingHeaders;
  #headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, incoming: IncomingHeaders, body: string) {
    this.status = status;
    this.body = body;
    this.#incoming = incoming;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= flattenHeaders(this.#incoming);
    return this.#headers;
  }
}

/** Makes the answer of what was received; a promise only where it must be decompressed. */
export function toAnswer(
  status: number,
  incoming: IncomingHeaders,
  body: Buffer,
  call: Call,
): KubeResponse | Promise<KubeResponse> {
  return incoming['content-encoding'] === 'gzip'
    ? unzipped(status, incoming, body, call)
    : new Answer(status, incoming, body.toString('utf8'));
}

async function unzipped(status: number, incoming: IncomingHeaders, body: Buffer, call: Call): Promise<KubeResponse> {
  const unzip = createGunzip();
  unzip.end(body);
  const parts: Buffer[] = [];
  try {
    for await (const part of unzip as AsyncIterable<Buffer>) {
      if (!call.receive(part.length)) throw call.failure;
      parts.push(part);
    }
    return new Answer(status, incoming, Buffer.concat(parts).toString('utf8'));
  } catch (cause) {
    if (call.failure) throw call.failure;
    throw new KubeError('Decode', 'the answer says that it is gzip, and is not', { cause });
  }
}
