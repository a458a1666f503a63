import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launcherText } from './launcher.ts';

describe('the launcher of a program', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-launcher-'));
    // As an older Node sees a program that imports what only newer ones have.
    await writeFile(join(directory, 'broken.main.js'), "import { nothing } from 'node:fs';\nconsole.log(nothing);\n");
    await writeFile(
      join(directory, 'good.main.js'),
      "import 'node:fs';\nconsole.log('hello', ...process.argv.slice(2));\n",
    );
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Runs it with arguments on a Node that says that it has another version. */
  const run = async (text: string, version: string) => {
    await writeFile(join(directory, 'program.js'), text);
    await writeFile(
      join(directory, 'version.cjs'),
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
    );
    const args = ['--require', './version.cjs', 'program.js', 'world'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it.each([
    ['>=24', '24.0.0'],
    ['>=24', '26.1.0'],
    ['>=22.15', '22.15.0'],
    ['>=22.15', '24.0.0'],
  ])('that needs %s starts the program on Node %s', async (engines, version) => {
    const text = launcherText({ file: 'good.main.js', name: 'good', engines });
    expect(await run(text, version)).toEqual({ status: 0, stdout: 'hello world\n', stderr: '' });
  });

  it.each([
    ['>=24', '20.20.2', '24'],
    ['>=22.15', '22.14.9', '22.15'],
  ])('that needs %s says so in one line on Node %s', async (engines, version, needed) => {
    const text = launcherText({ file: 'broken.main.js', name: 'flotilla', engines });
    const line = `flotilla needs Node ${needed} or newer; this is Node ${version} (${process.execPath}).\n`;
    expect(await run(text, version)).toEqual({ status: 2, stdout: '', stderr: line });
  });

  it('has no syntax that an old Node cannot read', () => {
    const text = launcherText({ file: 'good.main.js', name: 'good', engines: '>=24' });
    expect(text).not.toMatch(/\b(await|const|let|class)\b|=>|\?\.|\?\?|`|^import /m);
  });

  it('refuses engines that it cannot compare', () => {
    expect(() => launcherText({ file: 'a', name: 'a', engines: '^24' })).toThrow('"engines" must be of the form');
  });
});
