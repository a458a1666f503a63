import { KubeError } from '@flotilla/kube';
import type { KubeStream, Transport } from '@flotilla/kube/transport';
import { type Observable, Subject } from 'rxjs';

/** A transport that says when a connection broke. */
export interface ObservedTransport {
  readonly transport: Transport;
  readonly losses: Observable<void>;
  /** Why the last answer was a 401; undefined if the credential was accepted since. */
  refusal(): KubeError | undefined;
}

/** Reports each request without an answer and each watch that breaks, and changes nothing else. */
export function observeLosses(transport: Transport): ObservedTransport {
  const losses = new Subject<void>();
  let refusal: KubeError | undefined;
  const failed = (error: unknown): void => {
    if (KubeError.is(error, 'Unauthorized')) refusal = error;
    if (KubeError.is(error, 'Unavailable', 'Timeout', 'Tls', 'Unauthorized')) losses.next();
  };
  const observed = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      const result = await answer;
      refusal = undefined;
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  const observedStream = async (request: Parameters<Transport['stream']>[0]): Promise<KubeStream> => {
    const stream = await observed(transport.stream(request));
    return {
      status: stream.status,
      headers: stream.headers,
      monitored: stream.monitored,
      chunks: chunksOf(stream, failed),
      close: () => stream.close(),
    };
  };
  return {
    losses,
    refusal: () => refusal,
    transport: {
      request: (request) => observed(transport.request(request)),
      stream: observedStream,
      accessChanged: transport.accessChanged,
      async close() {
        losses.complete();
        await transport.close();
      },
    },
  };
}

async function* chunksOf({ chunks }: KubeStream, failed: (error: unknown) => void): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    failed(error);
    throw error;
  }
}
