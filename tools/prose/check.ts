// Fails if a page has lines that are too long, or a README or guide has sentences that are: node tools/prose/check.ts
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { longProse, mostCharacters, mostWords } from './long-prose.ts';
import { root, writtenPages } from './written-pages.ts';

/** Decision records keep the words of their day. */
const record = /[/\\]docs[/\\]adr[/\\]/;

const found = writtenPages().flatMap((file) =>
  longProse(readFileSync(file, 'utf8'))
    .filter(({ kind }) => kind === 'line' || !record.test(file))
    .map(({ line, what }) => `${relative(root, file)}:${line}: ${what}`),
);
if (found.length === 0) {
  console.log(`prose: lines of at most ${mostCharacters} characters, sentences of at most ${mostWords} words`);
} else {
  for (const error of found) console.error(error);
  console.error('npm run format breaks long lines.');
  process.exitCode = 1;
}
