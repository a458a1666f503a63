/** What a reader of a guide does, in the order of the page. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'run'; readonly script: string; readonly expected: readonly string[] }
  | {
      readonly kind: 'start' | 'stop';
      readonly terminal: string;
      readonly script: string;
      /** Lines that the terminal shows sooner or later, among others. */
      readonly expected?: readonly string[];
    };

/**
 * The steps of a guide. A `yaml` block whose first line is a comment with a name is a file. A `sh` block is run; one that begins with
 * `# terminal N` goes on running. A `text` block is what the block before it prints, for a terminal among other lines. `<!-- stop terminal N -->` is Ctrl-C there.
 */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, fence, body = '', stopped] of page.matchAll(
    /^```(\w+)\n(.*?)^```$|^<!-- stop (terminal \d+) -->$/gms,
  )) {
    const [first = '', ...rest] = body.split('\n');
    const last = steps.at(-1);
    if (stopped) steps.push({ kind: 'stop', terminal: stopped, script: '' });
    else if (fence === 'yaml') steps.push({ kind: 'file', name: first.replace(/^# /, ''), text: body });
    else if (fence === 'sh' && /^# terminal \d+$/.test(first))
      steps.push({ kind: 'start', terminal: first.slice(2), script: rest.join('\n') });
    else if (fence === 'sh') steps.push({ kind: 'run', script: body, expected: [] });
    else if (fence === 'text' && (last?.kind === 'run' || last?.kind === 'start'))
      steps[steps.length - 1] = { ...last, expected: body.trimEnd().split('\n') };
    else throw new Error(`a guide has a block that nothing runs: ${fence}\n${body}`);
  }
  return steps;
}

/** A line of a guide as a pattern: `…` stands for any text. */
const escaped = (text: string): string =>
  text
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');

/** The first line that a guide shows of a terminal and that is not there; undefined if all are. */
export const missingIn = (output: string, expected: readonly string[]): string | undefined =>
  expected.find((line) => !new RegExp(`^${escaped(line)} *$`, 'm').test(output));

/** Whether a command printed what the guide shows. `…` stands for any text, and alone on a line for any lines. */
export function prints(output: string, expected: readonly string[]): boolean {
  const pattern = expected.map((line) => (line === '…' ? '(?:.*\n)*' : `${escaped(line)} *\n`)).join('');
  return new RegExp(`^${pattern}$`).test(`${output.trimEnd()}\n`);
}
