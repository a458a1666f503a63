import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KubeError } from '../errors/kube-error.ts';
import type { IncomingHeaders } from './connection.ts';
import { flattenHeaders } from './flatten-headers.ts';
import type { KubeResponse } from './transport.ts';

const unzip = promisify(gunzip);

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
): KubeResponse | Promise<KubeResponse> {
  return incoming['content-encoding'] === 'gzip'
    ? unzipped(status, incoming, body)
    : new Answer(status, incoming, body.toString('utf8'));
}

async function unzipped(status: number, incoming: IncomingHeaders, body: Buffer): Promise<KubeResponse> {
  try {
    return new Answer(status, incoming, (await unzip(body)).toString('utf8'));
  } catch (cause) {
    throw new KubeError('Decode', 'the answer says that it is gzip, and is not', { cause });
  }
}
