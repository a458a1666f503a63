import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { type CloudEvent, Extension } from './cloud-event.ts';
import { MalformedEvent, quoted } from './malformed.ts';

/** Below this the time to compress is worth more than the bytes. */
const minBytes = 16 * 1024;
const gzip = 'gzip';

/** The event with its data compressed, if that is large. Only for a peer that said it reads this. */
export function compressed(event: CloudEvent): CloudEvent {
  if (!event.data || event.data.length < minBytes) return event;
  const data = gzipSync(event.data, { level: constants.Z_BEST_SPEED });
  return { ...event, extensions: { ...event.extensions, [Extension.DataEncoding]: gzip }, data };
}

/** The event as it was before it was compressed. Throws `MalformedEvent`, also for data that would grow beyond the limit. */
export function decompressed(event: CloudEvent, maxBytes: number): CloudEvent {
  const { [Extension.DataEncoding]: encoding, ...extensions } = event.extensions;
  if (encoding === undefined) return event;
  if (encoding !== gzip) {
    throw new MalformedEvent(`extension ${Extension.DataEncoding} is ${quoted(encoding)}, and must be "${gzip}"`);
  }
  try {
    return { ...event, extensions, data: gunzipSync(event.data ?? new Uint8Array(), { maxOutputLength: maxBytes }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new MalformedEvent(`the data cannot be decompressed to at most ${maxBytes} bytes: ${why}`);
  }
}
