import type { PatternSize } from './pattern-size.ts';

/** Memory of all patterns that are kept. */
const maxBytes = 64 * 1024 * 1024;

/** What an instruction and a range take. */
const bytesPerInstruction = 350;
const bytesPerRange = 10;

/** What the states of a pattern may take between two uses; each pattern that is kept counts with as much. */
export const maxBytesOfStates = 64 * 1024;

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/** What was compiled last, as far as there is memory for it. */
export class RegexCache<T> {
  /** What was used longest ago comes first. */
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(pattern: string): T | undefined {
    const entry = this.#entries.get(pattern);
    if (!entry) return undefined;
    this.#entries.delete(pattern);
    this.#entries.set(pattern, entry);
    return entry.value;
  }

  set(pattern: string, value: T, { instructions, ranges }: PatternSize): void {
    const bytes = maxBytesOfStates + instructions * bytesPerInstruction + ranges * bytesPerRange;
    this.#entries.set(pattern, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
