import type { PatternSize } from './pattern-size.ts';

/** Memory of all patterns that are kept, with the states that matching remembers. */
const maxBytes = 64 * 1024 * 1024;

/** What a pattern takes, and each of its instructions and ranges. */
const bytesPerPattern = 4096;
const bytesPerInstruction = 350;
const bytesPerRange = 10;

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  readonly bytesOfStates: number;
}

/** What was compiled and used last, as far as there is memory for it. */
export class RegexCache<T> {
  /** What was used longest ago comes first. */
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(pattern: string): T | undefined {
    const entry = this.#remove(pattern);
    if (entry) this.#add(pattern, entry);
    return entry?.value;
  }

  set(pattern: string, value: T, { instructions, ranges }: PatternSize): void {
    const bytes = bytesPerPattern + instructions * bytesPerInstruction + ranges * bytesPerRange;
    this.#add(pattern, { value, bytes, bytesOfStates: 0 });
  }

  /** Records what the states of a pattern take now: few of most patterns, and one for each character of some texts. */
  recordStates(pattern: string, bytesOfStates: number): void {
    const entry = this.#remove(pattern);
    if (entry) this.#add(pattern, { ...entry, bytesOfStates });
  }

  #remove(pattern: string): Entry<T> | undefined {
    const entry = this.#entries.get(pattern);
    if (!entry) return undefined;
    this.#entries.delete(pattern);
    this.#bytes -= entry.bytes + entry.bytesOfStates;
    return entry;
  }

  #add(pattern: string, entry: Entry<T>): void {
    this.#entries.set(pattern, entry);
    this.#bytes += entry.bytes + entry.bytesOfStates;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#remove(oldest);
    }
  }
}
