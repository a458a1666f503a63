import { globSync } from 'node:fs';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import type { Shell } from '../cli/shell.ts';

/** Does what `docker build` does with the Dockerfile of a project, without Docker: files are copied into a directory, where commands run. */
export async function buildImage(shell: Shell, project: string, image: string): Promise<void> {
  const dockerfile = await readFile(join(project, 'Dockerfile'), 'utf8');
  await mkdir(image);
  for (const [, instruction, rest = ''] of dockerfile.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    if (instruction === 'COPY') await copy(project, image, rest.split(' '));
    else {
      await writeFile(join(image, 'step.sh'), `cd '${image}'\n${rest}\n`);
      const { code, err } = await shell.run(`sh -eu '${join(image, 'step.sh')}'`);
      expect(code, `${rest}\n${err.slice(0, 2000)}`).toBe(0);
    }
  }
}

/** A pattern may match nothing, but not all of them. Of a directory, the content is copied. */
async function copy(project: string, image: string, words: readonly string[]): Promise<void> {
  const found = words.slice(0, -1).flatMap((pattern) => globSync(pattern, { cwd: project }));
  expect(found, `COPY ${words.join(' ')}`).not.toEqual([]);
  const target = join(image, words.at(-1) ?? '');
  for (const name of found) {
    const source = join(project, name);
    const isDirectory = (await stat(source)).isDirectory();
    await cp(source, isDirectory ? target : join(target, basename(name)), { recursive: true });
  }
}
