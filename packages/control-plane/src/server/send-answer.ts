import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Clock } from '@flotilla/kube';
import { type ApiResponse, isWhole } from '../contracts/exchange.ts';
import { drained } from './drained.ts';

export interface SendOptions {
  readonly clock: Clock;
  readonly slowReaderMs: number;
  /** A stream that does not end in this time after it was reset takes its connection with it. */
  readonly closeGraceMs: number;
}

/** A larger answer is sent in parts, so that the progress of its reader shows. */
const partBytes = 64 * 1024;

/** Sends an answer, and drops what is left of the body of its request. Rejects if its reader takes nothing for too long. */
export async function sendAnswer(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  { status, headers, body }: ApiResponse,
  options: SendOptions,
): Promise<void> {
  // Flow control of HTTP/2 is for each stream: what is not read of many streams is much.
  if (response.stream) request.resume();
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
  if (isWhole(body)) response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status);
  if (isWhole(body) && body.length <= partBytes) response.end(body);
  else if (!(await sendParts(response, isWhole(body) ? partsOf(body) : body, options))) return;
  // The response of HTTP/2 finishes when its stream closes, which may wait for the rest of the body.
  const sink = response.stream ?? response;
  if (!sink.writableFinished && !sink.destroyed) await drained(sink, options, 'finish');
  await stopReceiving(request, response, options);
}

/** Resolves to false if the client is gone before the end. */
async function sendParts(
  response: Http2ServerResponse,
  parts: Iterable<Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: SendOptions,
): Promise<boolean> {
  // An empty write sends the headers: the client observes at once that its watch is established.
  response.write('');
  for await (const part of parts) {
    if (response.write(part)) continue;
    await drained(response, options);
    if (response.writableEnded || response.destroyed) return false;
  }
  response.end();
  return true;
}

function* partsOf(body: string | Buffer): Generator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let from = 0; from < bytes.length; from += partBytes) yield bytes.subarray(from, from + partBytes);
}

/**
 * A client that still sends the body of a request that is answered is asked to stop. One that has sent all of it is not: clients of Go take
 * the reset of the stream for a broken answer.
 */
async function stopReceiving(
  request: Http2ServerRequest,
  { stream }: Http2ServerResponse,
  { clock, closeGraceMs }: SendOptions,
): Promise<void> {
  if (!stream || stream.endAfterHeaders || request.complete || stream.destroyed) return;
  const { NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE, NGHTTP2_STREAM_STATE_CLOSED, NGHTTP2_NO_ERROR } = constants;
  const { state } = stream.state;
  if (state === NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE || state === NGHTTP2_STREAM_STATE_CLOSED) return;
  const { session } = stream;
  stream.close(NGHTTP2_NO_ERROR);
  try {
    await drained(stream, { clock, slowReaderMs: closeGraceMs }, 'close');
  } catch (error) {
    session?.destroy();
    throw error;
  }
}
