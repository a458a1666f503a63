import { promisify } from 'node:util';
import { constants, gunzip, gunzipSync, gzipSync } from 'node:zlib';
import { KubeError } from '@flotilla/kube';
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

const unzip = promisify(gunzip);

/**
 * The same off the event loop, for events that others may have made to cost time. Throws `RequestTooLarge` for data beyond the limit that was
 * not compressed.
 */
export async function unpacked(event: CloudEvent, maxBytes: number): Promise<CloudEvent> {
  const packed = packedData(event);
  if (packed)
    return { ...packed, data: await unzip(packed.data, { maxOutputLength: maxBytes }).catch(cannotUnzip(maxBytes)) };
  const bytes = event.data?.length ?? 0;
  if (bytes <= maxBytes) return event;
  const message = `the data of the event has ${bytes} bytes, and may have ${maxBytes}`;
  throw new KubeError('RequestTooLarge', message, { status: 413 });
}

/** The event as it was before it was compressed. Throws `MalformedEvent`, also for data that would grow beyond the limit. */
export function decompressed(event: CloudEvent, maxBytes: number): CloudEvent {
  const packed = packedData(event);
  if (!packed) return event;
  try {
    return { ...packed, data: gunzipSync(packed.data, { maxOutputLength: maxBytes }) };
  } catch (error) {
    return cannotUnzip(maxBytes)(error);
  }
}

/** The event without the mark of its compression; undefined if it is not compressed. */
function packedData(event: CloudEvent): (CloudEvent & Required<Pick<CloudEvent, 'data'>>) | undefined {
  const { [Extension.DataEncoding]: encoding, ...extensions } = event.extensions;
  if (encoding === undefined) return undefined;
  if (encoding === gzip) return { ...event, extensions, data: event.data ?? new Uint8Array() };
  throw new MalformedEvent(`extension ${Extension.DataEncoding} is ${quoted(encoding)}, and must be "${gzip}"`);
}

const cannotUnzip =
  (maxBytes: number) =>
  (error: unknown): never => {
    const why = error instanceof Error ? error.message : error;
    throw new MalformedEvent(`the data cannot be decompressed to at most ${maxBytes} bytes: ${why}`);
  };
