import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { concatMap } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchDirectory } from './watch-directory.ts';

let project: string;
beforeEach(async () => {
  // A name that is ignored below the project, not above it.
  project = join(await mkdtemp(join(tmpdir(), 'flotilla-saves-')), 'dist');
  for (const file of ['src/addon.ts', 'src/manifests/agent.ts', 'node_modules/a/index.js']) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), 'before');
  }
});
afterEach(() => rm(dirname(project), { recursive: true, force: true }));

/** How an editor or a tool saves a text. */
type Save = (file: string, text: string) => Promise<void>;

const inPlace: Save = writeFile;
const renameOver: Save = async (file, text) => {
  await writeFile(`${file}.tmp`, text);
  await rename(`${file}.tmp`, file);
};
const withBackup: Save = async (file, text) => {
  await rename(file, `${file}.orig`);
  await writeFile(file, text);
  await rm(`${file}.orig`);
};
const deleteAndCreate: Save = async (file, text) => {
  await rm(file);
  await writeFile(file, text);
};

/** A program that reads a file when it starts, as `addon dev` runs one. */
async function startProgram(file: string, whileStarting = () => Promise.resolve()) {
  const watched = await watchDirectory(project);
  const program = { ran: await readFile(join(project, file), 'utf8').catch(() => ''), reports: [] as string[] };
  const running = watched.saves
    .pipe(
      concatMap(async (save) => {
        program.reports.push(save);
        program.ran = await readFile(join(project, file), 'utf8').catch(() => '');
        await whileStarting();
      }),
    )
    .subscribe();
  const stop = async () => {
    running.unsubscribe();
    await watched[Symbol.asyncDispose]();
  };
  return Object.assign(program, { [Symbol.asyncDispose]: stop });
}

describe('a program that starts again on each save runs what was saved last', () => {
  const many: Save = async (file, text) => {
    for (const step of [1, 2, 3]) await renameOver(file, `${text} ${step}`);
    await inPlace(file, text);
  };
  const inNewDirectory: Save = async (file, text) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  it.for<[style: string, file: string, ...saves: Save[]]>([
    ['written in place', 'src/addon.ts', inPlace, inPlace, inPlace],
    ['another file renamed over it', 'src/addon.ts', renameOver, renameOver, renameOver],
    ['moved aside, as vim does', 'src/addon.ts', withBackup, withBackup, withBackup],
    ['deleted and created', 'src/addon.ts', deleteAndCreate, deleteAndCreate, deleteAndCreate],
    ['in place after each of the others', 'src/addon.ts', renameOver, inPlace, deleteAndCreate, inPlace],
    ['several times at once', 'src/addon.ts', many, many],
    ['in a directory below', 'src/manifests/agent.ts', renameOver, inPlace, withBackup],
    ['a new file', 'src/new.ts', inPlace, renameOver, inPlace],
    ['a new file in new directories', 'lib/a/b.ts', inNewDirectory, renameOver, inPlace],
    [
      'a directory that was deleted',
      'src/manifests/agent.ts',
      async (file, text) => {
        await rm(dirname(file), { recursive: true });
        await inNewDirectory(file, text);
      },
      renameOver,
    ],
  ])('%s', async ([, file, ...saves]) => {
    await using program = await startProgram(file);
    for (const [index, save] of saves.entries()) {
      await save(join(project, file), `text ${index}`);
      await expect.poll(() => program.ran).toBe(`text ${index}`);
      // A slow machine makes two bursts of one save: the first names the temporary file.
      await expect.poll(() => program.reports.at(-1)).toBe(`${file} was saved`);
    }
  });

  it('while it was starting', async () => {
    const started = Promise.withResolvers<void>();
    await using program = await startProgram('src/addon.ts', () => started.promise);
    await inPlace(join(project, 'src/addon.ts'), 'first');
    await expect.poll(() => program.ran).toBe('first');
    for (const [index, save] of [inPlace, renameOver, deleteAndCreate].entries())
      await save(join(project, 'src/addon.ts'), `while starting ${index}`);
    started.resolve();
    await expect.poll(() => program.ran).toBe('while starting 2');
  });
});

it('reports a save while something else writes in the project all the time', async () => {
  await using program = await startProgram('src/addon.ts');
  const writing = setInterval(() => void writeFile(join(project, 'progress.txt'), `${performance.now()}`), 20);
  try {
    await inPlace(join(project, 'src/addon.ts'), 'after');
    await expect.poll(() => program.ran, { timeout: 10_000 }).toBe('after');
  } finally {
    clearInterval(writing);
  }
});

it('does not hear of swap files, and of what a program does not read', async () => {
  await using program = await startProgram('src/addon.ts');
  await writeFile(join(project, 'src/.addon.ts.swp'), 'swap');
  await mkdir(join(project, 'src/empty'));
  await renameOver(join(project, 'node_modules/a/index.js'), 'installed');
  await inPlace(join(project, 'src/addon.ts'), 'after');
  await expect.poll(() => program.reports).toEqual(['src/addon.ts was saved']);
});
