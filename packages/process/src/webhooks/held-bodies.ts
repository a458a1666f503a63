import type { IncomingMessage } from 'node:http';
import { serverLimits } from '../serving/limits.ts';
import { tooLarge } from '../serving/request-body.ts';
import type { Reply } from '../serving/route.ts';

const full: Reply = { status: 503, body: 'too many bodies of other requests are held; try again later\n' };

/** The bodies of one route that are not answered yet. Whoever reaches the port may send some, so they are limited together. */
export class HeldBodies {
  readonly #maxBytes: number;
  #held = 0;

  /** `maxBytes` is the limit of one body. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Answers a body, which counts until the reply is made. The reply is 413 for one that is too large, and 503 while too much is held. */
  async answer(message: IncomingMessage, reply: (body: string) => Promise<Reply> | Reply): Promise<Reply> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of message as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#held += chunk.length;
        if (bytes > this.#maxBytes) return tooLarge(this.#maxBytes);
        if (this.#held > serverLimits.maxHeldBytes) return full;
        chunks.push(chunk);
      }
      return await reply(Buffer.concat(chunks).toString('utf8'));
    } finally {
      this.#held -= bytes;
    }
  }
}
