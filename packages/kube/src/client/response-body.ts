import { PassThrough, pipeline } from 'node:stream';
import { KubeError } from '../errors/kube-error.ts';
import { toAnswer } from './answer.ts';
import { BodyChunks } from './body-chunks.ts';
import type { Call } from './call.ts';
import { AttemptError, type ConnectionResponse, type IncomingHeaders } from './connection.ts';
import { flattenHeaders } from './flatten-headers.ts';
import type { ForwardedResponse } from './forwarder.ts';
import type { KubeResponse, KubeStream } from './transport.ts';

const cutShort = (call: Call, cause?: unknown): AttemptError =>
  new AttemptError(
    new KubeError('Unavailable', `the connection to ${call.server} was lost in the middle of the response`, { cause }),
    true,
  );

/** The answer with its whole body as text. */
export async function readWhole(response: ConnectionResponse, call: Call): Promise<KubeResponse> {
  call.begin('the response', () => response.abort());
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      if (!call.receive(chunk.length)) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw call.failure ?? cutShort(call, cause);
  }
  if (call.failure || !response.isComplete()) throw call.failure ?? cutShort(call);
  return toAnswer(response.status, response.incoming, Buffer.concat(chunks), call);
}

/** The answer as a stream. `onEnd` runs once, when the reader is done, closed it, or lost it. */
export function openStream(response: ConnectionResponse, call: Call, onEnd: () => void): KubeStream {
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    response.abort();
    call.end();
    onEnd();
  };
  const failureOf = (cause: unknown): KubeError | undefined => {
    const isDone = closed || (cause === undefined && response.isComplete());
    const failure = call.failure ?? (isDone ? undefined : cutShort(call, cause).error);
    close();
    return failure;
  };
  const chunks = new BodyChunks(response.body, failureOf, close);
  call.begin('the response', () => close());
  const { status, monitored } = response;
  return { status, headers: flattenHeaders(response.incoming), monitored, chunks, close };
}

/** The answer as it is. `onEnd` runs once, when its body has ended or was given up. */
export function openForwarded(response: ConnectionResponse, call: Call, onEnd: () => void): ForwardedResponse {
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    call.end();
    onEnd();
  };
  const { status, body } = response;
  // Read from the first moment on: Node takes a stream of HTTP/2 that ended before anybody read it for one that was cut.
  const content = new PassThrough();
  const abort = () => {
    response.abort();
    // What is not read any more would stay in memory otherwise.
    content.destroy();
    close();
  };
  call.begin('the response', abort);
  body.once('close', close);
  // Who reads the content finds a loss by `isComplete`, too.
  content.on('error', () => undefined);
  pipeline(body, content, () => undefined);
  return {
    status,
    headers: headerList(response.incoming),
    body: content,
    isComplete: () => response.isComplete(),
    abort,
  };
}

const headerList = (incoming: IncomingHeaders): [string, string][] =>
  Object.entries(incoming)
    .filter(([name]) => !name.startsWith(':'))
    .flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
