import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportOf, savedFiles } from './saved-files.ts';

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'flotilla-saved-'));
  await write('src/addon.ts', 'before');
  await write('src/other.ts', 'before');
});
afterEach(() => rm(project, { recursive: true, force: true }));

const at = (path: string): string => join(project, path);
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
}
/** What two looks at the project report, with something done between them. */
async function reportAfter(change: () => Promise<unknown>): Promise<string | undefined> {
  const before = await savedFiles(project);
  await change();
  return reportOf(before, await savedFiles(project));
}

describe('what is reported of a project', () => {
  it.for<[title: string, change: () => Promise<unknown>, report: string | undefined]>([
    ['nothing when nothing changed', async () => {}, undefined],
    ['a file that was written', () => write('src/addon.ts', 'after!'), 'src/addon.ts was saved'],
    [
      'a file over which another one was renamed, of the same size and age',
      async () => {
        await write('src/addon.ts.tmp', 'BEFORE');
        await utimes(at('src/addon.ts.tmp'), 1_700_000_000, 1_700_000_000);
        await rename(at('src/addon.ts.tmp'), at('src/addon.ts'));
      },
      'src/addon.ts was saved',
    ],
    ['a file that is new', () => write('lib/a/b.ts', 'new'), 'lib/a/b.ts was saved'],
    ['a file that was removed', () => rm(at('src/other.ts')), 'src/other.ts was removed'],
    [
      'the file that was saved rather than the one that was removed',
      async () => {
        await rm(at('src/other.ts'));
        await write('src/addon.ts', 'after!');
      },
      'src/addon.ts was saved',
    ],
    [
      'nothing of a file that came and went',
      async () => {
        await write('src/4913', '');
        await rm(at('src/4913'));
      },
      undefined,
    ],
    [
      'nothing of swap and backup files, and of what a program does not read',
      async () => {
        await write('src/.addon.ts.swp', 'swap');
        await write('src/addon.ts~', 'backup');
        await write('node_modules/a/index.js', 'installed');
        await write('dist/addon.js', 'built');
      },
      undefined,
    ],
  ])('is %s', async ([, change, report]) => {
    expect(await reportAfter(change)).toBe(report);
  });

  it('is what a temporary file became, although it was seen before', async () => {
    expect(await reportAfter(() => write('src/addon.ts.tmp', 'after!'))).toBe('src/addon.ts.tmp was saved');
    const becomes = () => rename(at('src/addon.ts.tmp'), at('src/addon.ts'));
    expect(await reportAfter(becomes)).toBe('src/addon.ts was saved');
  });
});
