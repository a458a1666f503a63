import type { IncomingMessage } from 'node:http';
import { serverLimits } from '../serving/limits.ts';
import { tooLarge } from '../serving/request-body.ts';
import type { Reply } from '../serving/route.ts';

const full: Reply = { status: 503, body: 'too many bodies of other requests are held; try again later\n' };

interface Body {
  readonly chunks: Buffer[];
  bytes: number;
  isGivenUp: boolean;
  readonly refuse: (refusal: Reply) => void;
}

/** The bodies of one route that are not answered yet. Any caller that reaches the port can send some, so they are limited together. */
export class HeldBodies {
  readonly #maxBytes: number;
  #held = 0;
  /** Bodies that have not arrived whole, the oldest first. */
  readonly #unfinished = new Set<Body>();

  /** `maxBytes` is the limit of one body. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Answers a body, which counts until the reply is made. The reply is 413 for one that is too large. While too much is held, it is 503
   * for the oldest that have not arrived whole: otherwise callers that never finish would keep out all others.
   */
  async answer(message: IncomingMessage, reply: (body: string) => Promise<Reply> | Reply): Promise<Reply> {
    const { promise: refused, resolve: refuse } = Promise.withResolvers<Reply>();
    const body: Body = { chunks: [], bytes: 0, isGivenUp: false, refuse };
    try {
      const refusal = await Promise.race([refused, this.#receive(message, body)]);
      return refusal ?? (await reply(Buffer.concat(body.chunks).toString('utf8')));
    } finally {
      this.#release(body);
    }
  }

  /** Undefined once the body has arrived whole; otherwise the reply that refuses it. */
  async #receive(message: IncomingMessage, body: Body): Promise<Reply | undefined> {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      // It is answered. What still arrives is discarded.
      if (body.isGivenUp) continue;
      this.#unfinished.add(body);
      body.bytes += chunk.length;
      this.#held += chunk.length;
      if (body.bytes > this.#maxBytes) return tooLarge(this.#maxBytes);
      body.chunks.push(chunk);
      this.#makeRoom();
    }
    this.#unfinished.delete(body);
    return undefined;
  }

  #makeRoom(): void {
    for (const oldest of this.#unfinished) {
      if (this.#held <= serverLimits.maxHeldBytes) return;
      oldest.isGivenUp = true;
      oldest.refuse(full);
      this.#release(oldest);
    }
  }

  #release(body: Body): void {
    this.#unfinished.delete(body);
    this.#held -= body.bytes;
    body.bytes = 0;
    body.chunks.length = 0;
  }
}
