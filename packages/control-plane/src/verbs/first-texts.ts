/** As many errors of strict decoding as the API server reports of one document. */
const maxTexts = 100;
/** Their letters: a path has all keys on its way, each of which may be as long as the body. */
const maxLetters = 1024 * 1024;

/** Keeps the first of many texts, and does not even make the others. */
export class FirstTexts {
  readonly #texts = new Set<string>();
  #letters = 0;

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  get isFull(): boolean {
    return this.#texts.size >= maxTexts || this.#letters > maxLetters;
  }

  /** A text that is there already is not added. */
  add(make: () => string): void {
    if (this.isFull) return;
    const text = make();
    if (this.#texts.has(text)) return;
    this.#letters += text.length;
    this.#texts.add(text);
  }
}

/** The first of these texts, each once. */
export function firstTexts(all: Iterable<string>): readonly string[] {
  const first = new FirstTexts();
  for (const text of all) {
    if (first.isFull) break;
    first.add(() => text);
  }
  return first.texts;
}
