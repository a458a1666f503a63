import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureGoPrograms } from './ensure-go-programs.ts';

/** A machine with an empty cache and a Go that writes which package it was to compile. */
const machine = () => {
  const home = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  const path = join(home, 'bin');
  mkdirSync(path);
  const go = '[ "$1" = version ] && exit 0\nwhile [ "$1" != -o ]; do shift; done\necho "$3" > "$2"; /bin/chmod +x "$2"';
  const lines: string[] = [];
  return {
    lines,
    cache: join(home, 'flotilla', 'tool'),
    installGo: () => writeFileSync(join(path, 'go'), `#!/bin/sh\n${go}\n`, { mode: 0o755 }),
    options: { env: { XDG_CACHE_HOME: home, PATH: path }, log: (line: string) => void lines.push(line) },
  };
};

const tool = (version: string) => ({
  name: 'tool',
  version,
  moduleDirectory: tmpdir(),
  packages: { one: 'example.org/cmd/one', two: 'example.org/cmd/two' },
  linkerFlags: '-s -w',
  announcement: 'compiling the tool',
  withoutGo: (why: string) => `there is no tool: ${why}`,
});

test('programs of any module are compiled once and kept by their version', async () => {
  const here = machine();
  here.installGo();
  const { one, two } = await ensureGoPrograms(tool('v1.0.0'), here.options);
  expect([one, two].map((file) => readFileSync(file, 'utf8').trim())).toEqual([
    'example.org/cmd/one',
    'example.org/cmd/two',
  ]);
  const said = here.lines.length;
  expect(await ensureGoPrograms(tool('v1.0.0'), here.options)).toEqual({ one, two });
  expect(here.lines).toHaveLength(said);
  await ensureGoPrograms(tool('v1.1.0'), here.options);
  expect(readdirSync(here.cache).sort()).toEqual(['v1.0.0', 'v1.1.0']);
});

test('without Go the error is what the programs have to say about it', async () => {
  const { options } = machine();
  await expect(ensureGoPrograms(tool('v1.0.0'), options)).rejects.toThrow(
    'BinariesMissing: there is no tool: Go is not installed',
  );
});
