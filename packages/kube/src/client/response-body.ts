import { KubeError } from '../errors/kube-error.ts';
import { toAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { flattenHeaders } from './flatten-headers.ts';
import type { KubeResponse, KubeStream } from './transport.ts';
import { AttemptError, type WireResponse } from './wire.ts';

const cutShort = (call: Call, cause?: unknown): AttemptError =>
  new AttemptError(
    new KubeError('Unavailable', `the connection to ${call.server} was lost in the middle of the response`, { cause }),
    true,
  );

/** The answer with its whole body as text. */
export async function readWhole(response: WireResponse, call: Call): Promise<KubeResponse> {
  call.begin('the response', () => response.abort());
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (cause) {
    throw call.failure ?? cutShort(call, cause);
  }
  if (call.failure || !response.isWhole()) throw call.failure ?? cutShort(call);
  return toAnswer(response.status, response.incoming, Buffer.concat(chunks));
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
