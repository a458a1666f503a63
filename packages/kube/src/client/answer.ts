import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KubeError } from '../errors/kube-error.ts';
import { flattenHeaders } from './flatten-headers.ts';
import type { KubeResponse } from './transport.ts';

const unzip = promisify(gunzip);

/** A whole answer. Headers are made when they are looked at: seldom, and they cost as much as the rest of reading it. */
class Answer implements KubeResponse {
  readonly status: number;
  readonly body: string;
  readonly #incoming: object;

  constructor(status: number, incoming: object, body: string) {
    this.status = status;
    this.body = body;
    this.#incoming = incoming;
  }

  get headers(): Readonly<Record<string, string>> {
    return flattenHeaders(this.#incoming);
  }
}

/** Makes the answer of what was received; a promise only where it must be decompressed. */
export function toAnswer(status: number, incoming: object, body: Buffer): KubeResponse | Promise<KubeResponse> {
  const isZipped = 'content-encoding' in incoming && incoming['content-encoding'] === 'gzip';
  return isZipped ? unzipped(status, incoming, body) : new Answer(status, incoming, body.toString('utf8'));
}

async function unzipped(status: number, incoming: object, body: Buffer): Promise<KubeResponse> {
  try {
    return new Answer(status, incoming, (await unzip(body)).toString('utf8'));
  } catch (cause) {
    throw new KubeError('Decode', 'the answer says that it is gzip, and is not', { cause });
  }
}
