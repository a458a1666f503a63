import { KubeError } from '@flotilla/kube';
import { type Client, type ClientDuplexStream, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { fromCallError } from '../grpc/error-status.ts';
import { drained } from './drained.ts';
import type { ForwardAnswer, ForwardHead } from './forward-head.ts';
import {
  type ForwardRequest,
  type ForwardResponse,
  frameParts,
  fromHeaders,
  hubProxyService,
  requestHead,
  requestPart,
} from './frames.ts';

type ForwardStream = ClientDuplexStream<ForwardRequest, ForwardResponse>;

/** What a request is sent with beside its head. */
export interface ForwardOptions {
  readonly body?: AsyncIterable<Uint8Array>;
  /** Ends the request, whatever it waits for. */
  readonly signal?: AbortSignal;
}

const notServedReason = 'ForwardingNotServed';

/** The server of the hub does not forward, as those of Open Cluster Management do not. */
export const forwardingNotServed = (): KubeError =>
  new KubeError('MethodNotAllowed', 'the gRPC server of the hub does not forward requests of add-ons', {
    reason: notServedReason,
    hint: 'Run the gRPC server of Flotilla on the hub, or give the add-ons of this cluster access to its API server.',
  });

/** Whether that is why a request failed. */
export const isForwardingNotServed = (error: unknown): boolean =>
  error instanceof KubeError && error.reason === notServedReason;

/** Sends one request to the API of the hub. Resolves with the head of the answer; throws KubeError if there is none. */
export async function forwardCall(
  client: Client,
  metadata: Metadata,
  head: ForwardHead,
  { body, signal }: ForwardOptions,
): Promise<ForwardAnswer> {
  const context = `${head.method} ${head.path.split('?')[0]}`;
  if (signal?.aborted) throw new KubeError('Canceled', context, { cause: signal.reason });
  const { path, requestSerialize, responseDeserialize } = hubProxyService.forward;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  const onAbort = () => call.cancel();
  signal?.addEventListener('abort', onAbort, { once: true });
  const stop = () => signal?.removeEventListener('abort', onAbort);
  // Whoever reads finds it there; without a listener it would end the process.
  call.on('error', () => undefined);
  const frames = call[Symbol.asyncIterator]() as AsyncIterator<ForwardResponse>;
  const next = async (): Promise<ForwardResponse['frame'] | undefined> => {
    try {
      const { done, value } = await frames.next();
      return done ? undefined : (value as ForwardResponse).frame;
    } catch (error) {
      throw toKubeError(context, error);
    }
  };
  call.write(requestHead(head));
  void send(call, body);
  try {
    const first = await next();
    if (first?.case !== 'head') throw new KubeError('Decode', `${context}: the answer of the server has no head`);
    const { status: code, headers } = first.value;
    return { status: code, headers: fromHeaders(headers), body: parts(call, next, stop) };
  } catch (error) {
    stop();
    call.cancel();
    throw error;
  }
}

async function* parts(
  call: ForwardStream,
  next: () => Promise<ForwardResponse['frame'] | undefined>,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (let frame = await next(); frame; frame = await next()) if (frame.case === 'body') yield frame.value;
  } finally {
    stop();
    // Nothing to cancel if it has ended; otherwise its reader left.
    call.cancel();
  }
}

async function send(call: ForwardStream, body: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  try {
    for await (const chunk of body ?? []) {
      for (const part of frameParts(chunk)) if (!call.write(requestPart(part))) await drained(call);
    }
    call.end();
  } catch {
    // Half a body is not a request.
    call.cancel();
  }
}

function toKubeError(context: string, error: unknown): KubeError {
  const { code, details } = error as Partial<ServiceError>;
  if (code === status.UNIMPLEMENTED) return forwardingNotServed();
  return code === undefined ? KubeError.from(error, context) : fromCallError(context, { code, details: details ?? '' });
}
