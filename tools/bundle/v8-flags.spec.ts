import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withV8Flags } from './v8-flags.ts';

const program =
  "#!/usr/bin/env node\nimport { runInNewContext } from 'node:vm';\nconsole.log(runInNewContext('typeof gc'));\n";

const run = (text: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-'], { input: text, encoding: 'utf8' });

it('sets the flags before the program runs', () => {
  expect(run(withV8Flags(program, []))).toMatchObject({ stdout: 'undefined\n', stderr: '' });
  expect(run(withV8Flags(program, ['--expose-gc']))).toMatchObject({ stdout: 'function\n', stderr: '' });
});

it('keeps the first line that says what runs the program', () => {
  expect(withV8Flags(program, ['--expose-gc'])).toMatch(/^#!\/usr\/bin\/env node\nprocess\./);
});

/** A machine that is busy elsewhere takes its time. */
const timeout = 60_000;

/** The flags of V8 that a program is shipped with. */
const flagsOf = (app: string): string[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../apps', app, 'package.json'), 'utf8')).v8Flags;

it.each([
  ['hub', ['MAGLEV', 'TURBOFAN_JS']],
  ['agent', ['MAGLEV']],
  ['singleton', ['MAGLEV']],
])('compiles hot code of flotilla-%s by %j', { timeout }, (app, compilers) => {
  const hot = `
    const mix = (sum, text) => (sum * 31 + text.length) % 1_000_003;
    let sum = 0;
    for (let round = 0; round < 1_000_000; round++) sum = mix(sum, String(round % 97));
    console.log(sum);
  `;
  const { status, stdout } = run(withV8Flags(hot, [...flagsOf(app), '--trace-opt']));
  expect(status).toBe(0);
  const used = [...stdout.matchAll(/compiling method .*\(target (\w+)\)/g)].map(([, compiler]) => compiler);
  expect([...new Set(used)].sort()).toEqual(compilers);
});

it.each(['agent', 'hub', 'singleton'])(
  'keeps the young generation of flotilla-%s small after a burst of work',
  { timeout },
  (app) => {
    const burst = `
    import { getHeapSpaceStatistics } from 'node:v8';
    // So much lives on for a while that V8 by itself would take 64 MiB and keep them.
    const kept = [];
    for (let made = 0; made < 2_000_000; made++) kept[made % 100_000] = { made, text: String(made) };
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    console.log(young.space_size / 1024 / 1024);
  `;
    const { status, stdout } = run(withV8Flags(burst, flagsOf(app)));
    expect(status).toBe(0);
    expect(Number(stdout)).toBeLessThanOrEqual(16);
  },
);
