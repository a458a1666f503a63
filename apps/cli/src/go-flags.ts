import type { Command, Option } from 'commander';

/**
 * Flags as Go programs take them, in commander's form: `--hub_token` is `--hub-token`, `-o=json` is `-o json`,
 * `--wait=true` is `--wait`, and `--wait=false` is nothing. Flags that nothing knows stay as they are, so that an error repeats what the user wrote.
 */
export function goFlags(program: Command, argv: readonly string[]): string[] {
  const result: string[] = [];
  let command = program;
  let isValue = false;
  for (const [index, word] of argv.entries()) {
    if (word === '--') return [...result, ...argv.slice(index)];
    const takesWord = isValue;
    isValue = false;
    if (takesWord) result.push(word);
    // Commander would take the sign as a part of the value.
    else if (/^-[a-zA-Z]=/.test(word)) result.push(word.slice(0, 2), word.slice(3));
    else if (!word.startsWith('--')) {
      command = command.commands.find((child) => [child.name(), ...child.aliases()].includes(word)) ?? command;
      isValue = word.startsWith('-') && findOption(command, ({ short }) => short === word)?.required === true;
      result.push(word);
    } else {
      const [given = '', value] = split(word);
      const flag = given.replaceAll('_', '-');
      const option = findOption(command, ({ long }) => long === flag);
      isValue = option?.required === true && value === undefined;
      result.push(...inCommanderForm(command, { word, flag, value, option }));
    }
  }
  return result;
}

/** A flag and its value, of `--flag=value`. */
const split = (word: string): [string, string?] => {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
};

/** An option of the command, or of one above it. */
function findOption(command: Command | null, isWanted: (option: Option) => boolean): Option | undefined {
  return command ? (command.options.find(isWanted) ?? findOption(command.parent, isWanted)) : undefined;
}

interface GoFlag {
  readonly word: string;
  readonly flag: string;
  readonly value: string | undefined;
  readonly option: Option | undefined;
}

function inCommanderForm(command: Command, { word, flag, value, option }: GoFlag): string[] {
  const negated = flag.replace('--', '--no-');
  const isNegatable = findOption(command, ({ long }) => long === negated) !== undefined;
  if (!option && !isNegatable) return [word];
  const isSwitch = option ? !option.required && !option.optional : isNegatable;
  if (isSwitch && value === 'true') return option ? [flag] : [];
  if (isSwitch && value === 'false') return isNegatable ? [negated] : [];
  return [value === undefined ? flag : `${flag}=${value}`];
}
