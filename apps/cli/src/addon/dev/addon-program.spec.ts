import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCommand, requireAgent, startCommand } from './addon-program.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-program-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Starts a program instead of that of an add-on. */
async function start(source: string): Promise<RunningCommand & { readonly lines: readonly string[] }> {
  await writeFile(join(directory, 'main.mjs'), source);
  const lines: string[] = [];
  const program = { directory, main: 'main.mjs', env: process.env };
  return Object.assign(
    startCommand(program, ['controller'], (line) => lines.push(line)),
    { lines },
  );
}
const soon = { timeout: 10_000 };

describe('the program of an add-on', () => {
  it('is heard while it runs, on both of its outputs', async () => {
    await using program = await start(
      "console.error('cannot list greetings'); console.log('hello'); setInterval(() => {}, 1000);",
    );
    await expect.poll(() => program.lines.toSorted(), soon).toEqual(['| cannot list greetings', '| hello']);
  });

  it('is reported to have ended after all that it wrote', async () => {
    await using program = await start("console.error('SyntaxError: here'); process.exitCode = 3;");
    await expect
      .poll(() => program.lines, soon)
      .toEqual([
        '| SyntaxError: here',
        'the controller of the add-on ended with 3; it is started again when you save a file',
      ]);
  });

  it('has an agent if the help of that command ends with 0', async () => {
    await writeFile(join(directory, 'main.mjs'), "process.exitCode = process.argv[2] === 'agent' ? 0 : 1;");
    await requireAgent({ directory, main: 'main.mjs', env: process.env });
  });

  it('is refused without an agent, with how to write one', async () => {
    await writeFile(join(directory, 'main.mjs'), "console.error('agent is not a command'); process.exitCode = 1;");
    await expect(requireAgent({ directory, main: 'main.mjs', env: process.env })).rejects.toMatchObject({
      message: expect.stringContaining('this add-on has no agent program'),
      hint: expect.stringContaining('createAddonCli'),
      exitCode: 2,
    });
  });
});
