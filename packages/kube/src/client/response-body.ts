import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KubeError } from '../errors/kube-error.ts';
import type { Call } from './call.ts';
import { flattenHeaders } from './flatten-headers.ts';
import type { KubeResponse, KubeStream } from './transport.ts';
import { AttemptError, type WireResponse } from './wire.ts';

const unzip = promisify(gunzip);

const cutShort = (call: Call, cause?: unknown): AttemptError =>
  new AttemptError(
    new KubeError('Unavailable', `the connection to ${call.server} was lost in the middle of the response`, { cause }),
    true,
  );

/** The answer with its whole body as text. */
export function readResponse(response: WireResponse, call: Call): Promise<KubeResponse> {
  return new Promise((resolve, reject) => {
    // Most answers are one DATA frame, which then needs no copy.
    const chunks: Buffer[] = [];
    let ended = false;
    const { body } = response;
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.on('end', () => {
      ended = true;
      if (!response.isWhole()) reject(call.failure ?? cutShort(call));
      else if (isZipped(response)) resolve(decompress(chunks, call).then((text) => answer(response, text)));
      else resolve(answer(response, join(chunks).toString('utf8')));
    });
    body.on('error', (cause) => reject(call.failure ?? cutShort(call, cause)));
    body.on('close', () => {
      if (!ended) reject(call.failure ?? cutShort(call));
    });
    call.begin('the response', (error) => {
      response.abort();
      reject(error);
    });
  });
}

/** Headers are made when they are looked at: seldom, and that costs as much as the rest of reading an answer. */
const answer = ({ status, incoming }: WireResponse, body: string): KubeResponse => ({
  status,
  body,
  get headers() {
    return flattenHeaders(incoming);
  },
});

const isZipped = ({ incoming }: WireResponse): boolean =>
  'content-encoding' in incoming && incoming['content-encoding'] === 'gzip';

const join = ([first, ...rest]: Buffer[]): Buffer => {
  if (!first) return Buffer.alloc(0);
  return rest.length === 0 ? first : Buffer.concat([first, ...rest]);
};

async function decompress(chunks: Buffer[], call: Call): Promise<string> {
  try {
    return (await unzip(join(chunks))).toString('utf8');
  } catch (cause) {
    throw new KubeError('Decode', `${call.what}: the answer says gzip and is not`, { cause });
  }
}

/** The answer as a stream. `onEnd` runs once, when the reader is done, closed it, or lost it. */
export function openStream(response: WireResponse, call: Call, onEnd: () => void): KubeStream {
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    response.abort();
    call.end();
    onEnd();
  };
  async function* chunks(): AsyncGenerator<string, void, void> {
    try {
      for await (const chunk of response.body) yield String(chunk);
      if (call.failure || (!closed && !response.isWhole())) throw cutShort(call).error;
    } catch (caught) {
      if (closed && !call.failure) return;
      throw call.failure ?? (caught instanceof KubeError ? caught : cutShort(call, caught).error);
    } finally {
      close();
    }
  }
  response.body.setEncoding('utf8');
  call.begin('the response', () => close());
  const { status, monitored } = response;
  return { status, headers: flattenHeaders(response.incoming), monitored, chunks: chunks(), close };
}
