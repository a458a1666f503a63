import type { IncomingMessage } from 'node:http';

/** The body of a question of the API server; undefined if it is larger than may be read. */
export async function bodyOf(message: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The body as JSON, or in words what is wrong with it. */
export function jsonOf(text: string): { readonly value: unknown } | string {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'the body is not JSON';
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
