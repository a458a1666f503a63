import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KubeError } from '../errors/kube-error.ts';
import type { Call } from './call.ts';
import type { KubeStream } from './transport.ts';
import { AttemptError, type WireResponse } from './wire.ts';

const unzip = promisify(gunzip);

const cutShort = (call: Call, cause?: unknown): AttemptError =>
  new AttemptError(
    new KubeError('Unavailable', `the connection to ${call.server} was lost in the middle of the response`, { cause }),
    true,
  );

function collect(response: WireResponse, call: Call): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Most answers are one DATA frame, which then needs no copy.
    const chunks: Buffer[] = [];
    const { body } = response;
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.once('end', () => {
      const [only] = chunks;
      if (response.isWhole()) resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
      else reject(call.failure ?? cutShort(call));
    });
    body.once('error', (cause) => reject(call.failure ?? cutShort(call, cause)));
    body.once('close', () => reject(call.failure ?? cutShort(call)));
    call.begin('the response', (error) => {
      response.abort();
      reject(error);
    });
  });
}

/** The whole body as text. */
export async function readBody(response: WireResponse, call: Call): Promise<string> {
  const bytes = await collect(response, call);
  if (response.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
  try {
    return (await unzip(bytes)).toString('utf8');
  } catch (cause) {
    throw new KubeError('Decode', `${call.method} ${call.path}: the answer says gzip and is not`, { cause });
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
  const { status, headers, monitored } = response;
  return { status, headers, monitored, chunks: chunks(), close };
}
