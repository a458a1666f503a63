/** What a pattern compiles to at most, as estimated from its text. Compiling takes time and memory for each part. */
export interface PatternSize {
  readonly instructions: number;
  /** Ranges of characters of all instructions together: of a class that is repeated, each copy has its own. */
  readonly ranges: number;
  /** Ranges that the text itself names, without repetition. */
  readonly namedRanges: number;
}

/** Instructions that a pattern may compile to. */
const maxInstructions = 10_000;

/** Ranges that a pattern may have: some 8 MB. */
const maxRanges = 1_000_000;

/** Ranges that the text of a pattern may name. Sorting them takes some 40 ms. */
const maxNamedRanges = 50_000;

/** What a class of characters counts as. */
const classSize = 10;

/** The largest class of Unicode has as many ranges. */
const unicodeRanges = 750;

/** Ranges of an escaped class such as `\w`. */
const escapedRanges = 4;

/** The size of a pattern. Throws if it is larger than any that a person writes: repetitions within repetitions multiply. */
export function patternSize(pattern: string): PatternSize {
  const size = pattern.length <= maxInstructions ? estimate(pattern) : undefined;
  if (!size || size.instructions > maxInstructions) throw tooLarge(`${maxInstructions} instructions`);
  if (size.namedRanges > maxNamedRanges) throw tooLarge(`${maxNamedRanges} ranges of characters`);
  if (size.ranges > maxRanges) throw tooLarge(`${maxRanges} ranges of characters`);
  return size;
}

const tooLarge = (most: string): Error =>
  new Error(`error parsing regexp: expression too large, at most ${most} are evaluated`);

const repetition = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** A group that is open. `last` is what a repetition would repeat. */
class Group {
  instructions = 0;
  ranges = 0;
  last = { instructions: 0, ranges: 0 };

  add(instructions: number, ranges: number): void {
    this.last = { instructions, ranges };
    this.instructions += instructions;
    this.ranges += ranges;
  }

  repeat(times: number): void {
    const { instructions, ranges } = this.last;
    this.add(instructions * (times - 1), ranges * (times - 1));
    this.last = { instructions: instructions * times, ranges: ranges * times };
  }
}

function estimate(pattern: string): PatternSize {
  const whole = new Group();
  const groups = [whole];
  let namedRanges = 0;
  let at = 0;
  while (at < pattern.length) {
    const group = groups.at(-1) ?? whole;
    const letter = pattern[at];
    repetition.lastIndex = at;
    const repeated = letter === '{' ? repetition.exec(pattern) : null;
    if (repeated) {
      group.repeat(Math.max(1, Number(repeated[1]), Number(repeated[2] || 0)));
      at += repeated[0].length;
      continue;
    }
    const ranges = rangesOf(letter, pattern[at + 1]);
    namedRanges += ranges;
    at += letter === '\\' ? 2 : 1;
    if (letter === '(') groups.push(new Group());
    else if (letter === ')' && groups.length > 1) {
      groups.pop();
      groups.at(-1)?.add(group.instructions + 2, group.ranges);
    } else {
      group.add(letter === '\\' || letter === '[' ? classSize : 1, ranges);
      // Where a class began is not known, so that it counts as all that was read.
      if (letter === ']') group.last.ranges = namedRanges;
    }
  }
  const sum = (size: 'instructions' | 'ranges') => groups.reduce((total, group) => total + group[size], 0);
  return { instructions: sum('instructions'), ranges: sum('ranges'), namedRanges };
}

function rangesOf(letter: string | undefined, next: string | undefined): number {
  if (letter !== '\\') return 1;
  return next === 'p' || next === 'P' ? unicodeRanges : escapedRanges;
}
