import { once } from 'node:events';
import { constants, createDeflate, createInflate } from 'node:zlib';
import { headerDictionary } from './header-dictionary.ts';

/** Names in lower case. */
export type SpdyHeaders = Readonly<Record<string, string>>;

const maxHeaders = 100;

/** Headers of one connection: all blocks of a direction are one compressed stream, so they must be taken in their order. */
export class HeaderBlocks {
  readonly #inflate = createInflate({ dictionary: headerDictionary, finishFlush: constants.Z_SYNC_FLUSH });
  readonly #deflate = createDeflate({ dictionary: headerDictionary });

  async decode(block: Buffer): Promise<SpdyHeaders> {
    const bytes = await passed(this.#inflate, block);
    const headers: Record<string, string> = {};
    let offset = 0;
    const number = (): number => {
      const value = bytes.readUInt32BE(offset);
      offset += 4;
      return value;
    };
    const text = (): string => {
      const length = number();
      offset += length;
      return bytes.toString('utf8', offset - length, offset);
    };
    const count = number();
    if (count > maxHeaders) throw new Error(`a block of ${count} headers is refused`);
    for (let index = 0; index < count; index++) headers[text().toLowerCase()] = text();
    return headers;
  }

  encode(headers: SpdyHeaders): Promise<Buffer> {
    const entries = Object.entries(headers);
    const parts = [entries.length, ...entries.flat()].flatMap((part) =>
      typeof part === 'number' ? [numberOf(part)] : [numberOf(Buffer.byteLength(part)), Buffer.from(part)],
    );
    return passed(this.#deflate, Buffer.concat(parts));
  }

  close(): void {
    this.#inflate.close();
    this.#deflate.close();
  }
}

/** What comes out of a (de)compressor for this input, all of it. */
async function passed(
  stream: ReturnType<typeof createInflate> | ReturnType<typeof createDeflate>,
  input: Buffer,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = (chunk: Buffer) => chunks.push(chunk);
  stream.on('data', collect);
  const failed = once(stream, 'error').then(([error]) => Promise.reject(error));
  const flushed = new Promise<void>((resolve) => {
    stream.write(input);
    stream.flush(constants.Z_SYNC_FLUSH, resolve);
  });
  try {
    await Promise.race([flushed, failed]);
  } finally {
    failed.catch(() => {});
    stream.off('data', collect);
  }
  return Buffer.concat(chunks);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
