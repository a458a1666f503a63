import type { Http2ServerRequest } from 'node:http2';
import type { Clock } from '@flotilla/kube';
import type { ApiRequest } from '../contracts/exchange.ts';
import { bodyTooSlow, tooLarge } from '../errors/api-errors.ts';
import type { Limits } from '../limits/limits.ts';

/** Reads the body of a request when it is called, and not before: flow control holds back what is not read. */
export function bodyReader(request: Http2ServerRequest, clock: Clock, limits: Limits): ApiRequest['readBody'] {
  const { maxBodyBytes } = limits;
  return async (count) => {
    if (request.method === 'GET' || request.method === 'HEAD') return Buffer.alloc(0);
    const bodyTooLarge = () => tooLarge(`Request entity too large: limit is ${maxBodyBytes}`);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBodyBytes) throw bodyTooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    const watched = watchPace(clock, limits, () => size);
    const receive = async (): Promise<Buffer> => {
      // The request must outlive its reading: destroyed, it could not be answered why its body is refused.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        // It is refused: what still comes is dropped.
        if (watched.isTooSlow()) continue;
        size += chunk.length;
        if (size > maxBodyBytes) throw bodyTooLarge();
        count(chunk.length);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    };
    try {
      return await Promise.race([receive(), watched.tooSlow]);
    } finally {
      watched.stop();
    }
  };
}

interface Pace {
  /** Rejects with 408 when too few bytes have come. */
  readonly tooSlow: Promise<never>;
  readonly isTooSlow: () => boolean;
  readonly stop: () => void;
}

/** Each byte that comes moves the deadline of the body, up to the time that any body has. */
function watchPace(
  clock: Clock,
  { bodyTimeoutMs, bodyGraceMs, minBodyBytesPerSecond }: Limits,
  received: () => number,
): Pace {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const begun = clock.monotonic();
  let isTooSlow = false;
  let cancel = () => {};
  const check = () => {
    const allowed = Math.min(bodyTimeoutMs, bodyGraceMs + (received() / minBodyBytesPerSecond) * 1000);
    const left = allowed - (clock.monotonic() - begun);
    if (left > 0) {
      cancel = clock.schedule(Math.ceil(left), check);
      return;
    }
    isTooSlow = true;
    reject(bodyTooSlow(minBodyBytesPerSecond, bodyTimeoutMs / 1000));
  };
  check();
  return { tooSlow, isTooSlow: () => isTooSlow, stop: () => cancel() };
}
