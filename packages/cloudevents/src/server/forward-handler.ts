import type { ForwardAnswer, ForwardHead } from '../hub-proxy/forward-head.ts';
import type { CallContext } from './call-context.ts';

/** A request that came over gRPC. */
export interface ForwardedCall {
  readonly head: ForwardHead;
  readonly body: AsyncIterable<Uint8Array>;
  /** Who sent it. */
  readonly call: CallContext;
  /** Aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** Answers requests of add-ons. Throws what the caller is refused with; an error of the body ends an answer that has begun. */
export type ForwardHandler = (request: ForwardedCall) => Promise<ForwardAnswer>;
