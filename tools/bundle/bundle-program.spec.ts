import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BundledProgram, bundleProgram } from './bundle-program.ts';

describe('a bundled program', () => {
  let directory: string;
  let bundled: BundledProgram;

  const files = {
    'node_modules/greeting/package.json':
      '{ "name": "greeting", "version": "1.2.3", "license": "MIT", "main": "main.js" }',
    'node_modules/greeting/LICENSE': 'Copyright (c) Somebody\n',
    'node_modules/greeting/main.js': "module.exports = (who) => require('node:util').format('hello %s', who);\n",
    'names.json': '{ "world": "w\u00f6rld" }',
    'program.ts': [
      "import { STATUS_CODES } from 'node:http';",
      "import greet from 'greeting';",
      "import names from './names.json' with { type: 'json' };",
      "const who: string = names.world;\nconsole.log(greet(who), String(/^\u03bcs$/.test('\\u03bcs')), STATUS_CODES[200]);",
      "const { later } = await import('./later.ts');\nconsole.log(later);",
    ].join('\n'),
    'later.ts': "export const later: string = 'loaded later';\n",
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-bundle-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    bundled = await bundleProgram(join(directory, 'program.ts'), 'program');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('runs where none of its dependencies are', async () => {
    const alone = join(directory, 'alone');
    await mkdir(alone);
    await writeFile(join(alone, 'package.json'), '{ "type": "module" }');
    for (const [file, text] of bundled.files) await writeFile(join(alone, file), text);
    await rm(join(directory, 'node_modules'), { recursive: true });
    const { stdout } = await promisify(execFile)(process.execPath, [join(alone, 'program.js')]);
    expect(stdout).toBe('hello w\u00f6rld true OK\nloaded later\n');
  });

  it('has what it imports when it is needed in files of their own', () => {
    const [main, ...others] = bundled.files.values();
    expect(main).not.toContain('loaded later');
    expect(others.filter((text) => text.includes('loaded later'))).toHaveLength(1);
    expect(bundled.files.keys().next().value).toBe('program.js');
    expect([...bundled.files.keys()].filter((name) => !/^program\..*js$/.test(name))).toEqual([]);
  });

  it('has one byte a letter, and parses its tables', () => {
    const text = [...bundled.files.values()].join('');
    expect(Buffer.byteLength(text)).toBe(text.length);
    expect(text).toContain('JSON.parse(');
  });

  it('leaves out what it can do without, until it is asked for', async () => {
    const { files: parts } = await bundleProgram(join(directory, 'program.ts'), 'program', ['greeting']);
    const text = [...parts.values()].join('');
    expect(text).toContain('from "greeting"');
    expect(text).not.toContain("require('node:util')");
  });

  it('names whose code is in it, under which licence', () => {
    expect(bundled.notices).toBe('greeting 1.2.3 (MIT)\n\nCopyright (c) Somebody\n');
  });
});
