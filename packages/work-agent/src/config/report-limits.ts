/** How much the rules of a work may report about each of its objects. */
export interface ReportLimits {
  /** Values of feedback rules, and conditions of condition rules. */
  readonly reports: number;
  /** Letters of all messages of conditions. */
  readonly letters: number;
}

/** More than the status of a work has room for. */
const maxOfWork: ReportLimits = { reports: 20_000, letters: 2_000_000 };

/** What any object may have, however many the work has. */
const minOfObject: ReportLimits = { reports: 20, letters: 4096 };

/**
 * The limits for each object of a work. The rules of one config can be for thousands of manifests: a work with a list of both would fill
 * the memory of the agent with what its status has no room for, and again after each restart.
 */
export const reportLimitsOf = (manifests: number): ReportLimits => ({
  reports: Math.max(minOfObject.reports, Math.floor(maxOfWork.reports / manifests)),
  letters: Math.max(minOfObject.letters, Math.floor(maxOfWork.letters / manifests)),
});

/** What a message of a condition has room for. */
export const longestMessage = 32_768;

/** The messages of the conditions of one object. The first message that does not fit reports the limit; later messages are empty. */
export class MessageBudget {
  readonly #letters: number;
  #left: number;
  #isCut = false;

  constructor(letters: number) {
    this.#letters = letters;
    this.#left = letters;
  }

  /** Whether a message was cut. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** As much of a message as there is room for. */
  take(message: string): string {
    if (this.#isCut) return '';
    this.#isCut = message.length > this.#left;
    if (!this.#isCut) {
      this.#left -= message.length;
      return message;
    }
    const why = `… (the messages of a manifest of this work have at most ${this.#letters} characters: shorten them, or split the work)`;
    return startOf(message, Math.min(this.#left, longestMessage - why.length)) + why;
  }
}

/** Those of the only object of a work. */
export const wholeWork: ReportLimits = reportLimitsOf(1);

/** The start of a text. A copy: a part of a text keeps the whole of it in memory. */
export const startOf = (text: string, letters: number): string =>
  text.length <= letters ? text : Buffer.from(text.slice(0, letters)).toString();
