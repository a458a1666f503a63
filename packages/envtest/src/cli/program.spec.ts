import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { binaryNames } from '../binaries/binaries.ts';
import { createProgram } from './program.ts';

const run = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const program = createProgram({ env, out: sink('out'), err: sink('err') });
  for (const command of [program, ...program.commands]) command.exitOverride();
  const error = await program.parseAsync(['node', 'flotilla-envtest', ...args]).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return { ...said, error };
};

const assets = () => {
  const directory = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  for (const name of binaryNames) writeFileSync(join(directory, name), '', { mode: 0o755 });
  return directory;
};

test('the help shows the commands and examples', async () => {
  const { out } = await run(['--help']);
  expect(out).toMatch(/up \[options\].*binaries \[options\].*Examples:.*flotilla-envtest up --crds/s);
});

test('the help of a command comes to the same place and shows its flags', async () => {
  const { out } = await run(['up', '--help']);
  for (const flag of ['--crds', '--kubeconfig-out', '--port', '--data-dir', '--source']) expect(out).toContain(flag);
});

test('binaries says where they are, or the path alone', async () => {
  const directory = assets();
  const env = { KUBEBUILDER_ASSETS: directory };
  expect((await run(['binaries'], env)).out).toBe(`Kubernetes binaries (assets) are in ${directory}\n`);
  expect((await run(['binaries', '--print-path'], env)).out).toBe(`${directory}\n`);
});

test.each([
  ['a port that is none', ['up', '--port', '70000'], /port.*from 1 to 65535/s],
  ['an unknown source', ['binaries', '--source', 'registry'], /Allowed choices are assets, build, download/],
  ['an unknown flag', ['up', '--colour'], /unknown option '--colour'/],
])('%s is refused', async (_what, args, message) => {
  const { err, error } = await run(args);
  expect(error).toBeInstanceOf(CommanderError);
  expect(err).toMatch(message);
});

test('a kubeconfig of the user is not overwritten', async () => {
  const file = join(assets(), 'config');
  writeFileSync(file, 'apiVersion: v1\ncurrent-context: production\n');
  const { error } = await run(['up', '--kubeconfig-out', file]);
  expect(String(error)).toContain(`InvalidOption: --kubeconfig-out: ${file} exists and is not one of ours`);
});

test('CRDs that cannot be read stop it before anything starts', async () => {
  const directory = join(assets(), 'crds');
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.yaml'), 'a: [');
  expect(String((await run(['up', '--crds', directory])).error)).toContain('a.yaml is not YAML');
});
