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
    ].join('\n'),
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-bundle-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    bundled = await bundleProgram(join(directory, 'program.ts'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('runs where none of its dependencies are', async () => {
    const alone = join(directory, 'alone.mjs');
    await writeFile(alone, bundled.text);
    await rm(join(directory, 'node_modules'), { recursive: true });
    const { stdout } = await promisify(execFile)(process.execPath, [alone]);
    expect(stdout).toBe('hello w\u00f6rld true OK\n');
  });

  it('begins as a program, has one byte a letter, and parses its tables', () => {
    expect(bundled.text).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(Buffer.byteLength(bundled.text)).toBe(bundled.text.length);
    expect(bundled.text).toContain('JSON.parse(');
  });

  it('leaves out what it can do without, until it is asked for', async () => {
    const { text } = await bundleProgram(join(directory, 'program.ts'), ['greeting']);
    expect(text).toContain('from "greeting"');
    expect(text).not.toContain("require('node:util')");
  });

  it('names whose code is in it, under which licence', () => {
    expect(bundled.notices).toBe('greeting 1.2.3 (MIT)\n\nCopyright (c) Somebody\n');
  });
});
