/** Instructions that a pattern may compile to, as estimated from its text. Compiling takes time and memory for each. */
const maxInstructions = 10_000;

/** What a class of letters may compile to: `\pL` has hundreds of ranges. */
const classSize = 10;

/** Throws if a pattern is larger than any that a person writes. Repetitions within repetitions multiply. */
export function checkPatternSize(pattern: string): void {
  if (pattern.length <= maxInstructions && estimate(pattern) <= maxInstructions) return;
  throw new Error(`error parsing regexp: expression too large, at most ${maxInstructions} instructions are evaluated`);
}

const repetition = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

function estimate(pattern: string): number {
  /** The sizes of the groups that are open, each with the size of what came last in it. */
  const groups = [{ size: 0, last: 0 }];
  let at = 0;
  while (at < pattern.length) {
    const group = groups.at(-1) ?? { size: 0, last: 0 };
    const letter = pattern[at];
    repetition.lastIndex = at;
    const repeated = letter === '{' ? repetition.exec(pattern) : null;
    if (repeated) {
      const times = Math.max(1, Number(repeated[1]), Number(repeated[2] || 0));
      group.size += group.last * (times - 1);
      group.last *= times;
      at += repeated[0].length;
      continue;
    }
    at += letter === '\\' ? 2 : 1;
    if (letter === '(') groups.push({ size: 0, last: 0 });
    else if (letter === ')' && groups.length > 1) {
      const { size } = groups.pop() ?? group;
      const outer = groups.at(-1) ?? group;
      outer.last = size + 2;
      outer.size += outer.last;
    } else {
      group.last = letter === '\\' || letter === '[' ? classSize : 1;
      group.size += group.last;
    }
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}
