import { expect, it } from 'vitest';
import type { ProcessHost } from './process-host.ts';
import { runCommand } from './run-command.ts';

async function run(...argv: string[]) {
  const seen = { ran: [] as (readonly string[])[], printed: '', complained: '', code: -1 };
  const host: ProcessHost = {
    argv,
    env: {},
    print(text) {
      seen.printed += text;
    },
    printError(text) {
      seen.complained += text;
    },
    isTerminal: false,
    on: () => () => {},
    exit(code) {
      seen.code = code;
    },
  };
  const controller = {
    description: 'Runs the controllers.',
    async run({ argv: rest }: ProcessHost) {
      seen.ran.push(rest);
    },
  };
  await runCommand('flotilla-hub', { controller }, host);
  return seen;
}

it('hands the rest of the command line to the command', async () => {
  expect((await run('controller', '--v=4', 'x')).ran).toEqual([['--v=4', 'x']]);
});

it.each(['--help', '-h', 'help'])('lists the commands for %s', async (word) => {
  const { printed, code, ran } = await run(word);
  expect([code, ran]).toEqual([0, []]);
  expect(printed).toContain('  controller  Runs the controllers.\n');
});

it('fails without a command, and with one that does not exist it says which is near', async () => {
  const none = await run();
  expect([none.code, none.complained.startsWith('Usage: flotilla-hub COMMAND')]).toEqual([1, true]);
  const wrong = await run('controler');
  expect(wrong.complained).toContain('Error: controler is not a command (did you mean controller?)');
  expect((await run('toString')).code).toBe(1);
});
