import { type Clock, KubeError } from '@flotilla/kube';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { toCallStatus } from '../grpc/error-status.ts';
import { drained } from '../hub-proxy/drained.ts';
import type { ForwardAnswer, ForwardHead } from '../hub-proxy/forward-head.ts';
import {
  type ForwardRequest,
  type ForwardResponse,
  frameParts,
  fromHeaders,
  responseHead,
  responsePart,
} from '../hub-proxy/frames.ts';
import { callLimits } from '../limits.ts';
import { admissionOf } from './admission.ts';
import type { CallTimer } from './call-timer.ts';
import type { ForwardHandler } from './forward-handler.ts';

export type ForwardCall = ServerDuplexStream<ForwardRequest, ForwardResponse>;

/** A caller that opens a call has the head at hand, and reads its answer. The server holds what has come of a body that stalls. */
const { headTimeoutMs, stallTimeoutMs, bodyTimeoutMs } = callLimits;

/** Reads a request, has it answered, and writes the answer as fast as the caller reads it. */
export async function handleForward(
  handler: ForwardHandler,
  call: ForwardCall,
  { timer, clock }: { readonly timer: CallTimer; readonly clock: Clock },
): Promise<void> {
  const gone = new AbortController();
  const end = () => gone.abort(new KubeError('Canceled', 'the caller has ended the call'));
  for (const event of ['cancelled', 'close', 'error']) call.on(event, end);
  const stalled = (ms: number, what: string) =>
    clock.schedule(ms, () => gone.abort(new KubeError('Timeout', `the caller ${what} for ${ms / 1000} s`)));
  const frames = call[Symbol.asyncIterator]() as AsyncIterator<ForwardRequest, undefined>;
  try {
    const cancelTimer = stalled(headTimeoutMs, 'did not send the head of the request');
    const head = await untilAborted(readHead(frames), gone.signal).finally(cancelTimer);
    const request = { head, body: bodyOf(), call: admissionOf(call).context, signal: gone.signal };
    await write(await untilAborted(handler(request), gone.signal));
    timer.end(status.OK);
    call.end();
  } catch (error) {
    const refused = toCallStatus(gone.signal.aborted ? gone.signal.reason : error);
    timer.end(refused.code);
    if (!call.cancelled) call.emit('error', refused);
  } finally {
    // Whoever answered may have to tidy up, also where nobody has read the answer.
    end();
  }

  async function* bodyOf(): AsyncGenerator<Uint8Array> {
    const cancelTimer = stalled(bodyTimeoutMs, 'did not finish the body of the request');
    try {
      for (;;) {
        const { done, value } = await untilAborted(frames.next(), gone.signal);
        if (done) return;
        if (value.frame.case !== 'body') throw malformed('a request has one head, and parts of its body after it');
        yield value.frame.value;
      }
    } finally {
      cancelTimer();
    }
  }

  async function write({ body, ...head }: ForwardAnswer): Promise<void> {
    const put = async (frame: ForwardResponse) => {
      gone.signal.throwIfAborted();
      if (call.write(frame)) return;
      const cancelTimer = stalled(stallTimeoutMs, 'did not read the answer');
      await untilAborted(drained(call), gone.signal).finally(cancelTimer);
    };
    await put(responseHead(head));
    for await (const chunk of body) for (const part of frameParts(chunk)) await put(responsePart(part));
  }
}

async function readHead(frames: AsyncIterator<ForwardRequest, undefined>): Promise<ForwardHead> {
  const { value } = await frames.next();
  const frame = value?.frame;
  if (frame?.case !== 'head') throw malformed('the first frame of a request must be its head');
  const { clusterName, addOnName, method, path, headers } = frame.value;
  return { clusterName, addOnName, method, path, headers: fromHeaders(headers) };
}

const malformed = (message: string): KubeError => new KubeError('BadRequest', message, { status: 400 });

/** Rejects with the reason when the signal aborts first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
