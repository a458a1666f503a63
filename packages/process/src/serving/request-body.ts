import type { IncomingMessage } from 'node:http';
import type { Reply } from './route.ts';

/** The body of a request; undefined if it is larger than may be read. */
export async function bodyOf(message: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The reply to a body that was not read. */
export const tooLarge = (maxBytes: number): Reply => ({
  status: 413,
  body: `the body has more than ${maxBytes} bytes\n`,
});
