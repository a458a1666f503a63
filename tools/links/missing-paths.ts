import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrokenLink } from './broken-links.ts';

/** A path of this repository in backticks. */
const path = /`((?:packages|apps|e2e|tools|bench|docs)\/[\w./[\]-]+)`/g;

/** The paths in backticks of a page that do not exist. Moved code leaves such a page behind otherwise. */
export function missingPaths(root: string, file: string): BrokenLink[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((text, index) =>
    [...text.matchAll(path)]
      .map(([, target = '']) => ({ file, line: index + 1, target }))
      .filter(({ target }) => !existsSync(join(root, target))),
  );
}
