import { gunzipSync, gzipSync } from 'node:zlib';
import type { ApiRequest, ApiResponse } from '../../contracts/exchange.ts';
import { hashOf } from '../documents/etag.ts';

/** A document that is large as text and small in memory. Most clients take it as it is kept. */
export interface PackedDocument {
  readonly hash: string;
  /** The media type. */
  readonly type: string;
  readonly gzip: Buffer;
}

export const packed = (type: string, content: string | Buffer): PackedDocument => ({
  type,
  hash: hashOf(content),
  gzip: gzipSync(content, { level: 3 }),
});

/** The body and its headers, compressed if the client takes that. */
export function packedBody(
  { type, gzip }: PackedDocument,
  { headers }: ApiRequest,
): Pick<ApiResponse, 'body' | 'headers'> {
  const takesGzip = /(^|[\s,])gzip($|[\s,;])/.test(headers['accept-encoding'] ?? '');
  return takesGzip
    ? { body: gzip, headers: { 'content-type': type, 'content-encoding': 'gzip' } }
    : { body: gunzipSync(gzip), headers: { 'content-type': type } };
}
