// Fails if a page has lines that are too long, or a README or guide has sentences that are: node tools/prose/check.ts
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longProse, mostCharacters, mostWords } from './long-prose.ts';

/** Pages that programs write. */
const generated = /^docs\/reference\/(api\/|acceptance\/|flags\.md|names\.md)|(^|\/)CHANGELOG\.md$/;
/** Decision records keep the words of their day. */
const record = /^docs\/adr\//;

const root = join(import.meta.dirname, '../..');
const pages = globSync('**/*.md', {
  cwd: root,
  exclude: (name) => ['node_modules', 'dist', '.git', '.nx'].includes(name),
}).map((file) => file.replaceAll('\\', '/'));
const found = pages
  .filter((file) => !generated.test(file))
  .sort()
  .flatMap((file) =>
    longProse(readFileSync(join(root, file), 'utf8'))
      .filter(({ kind }) => kind === 'line' || !record.test(file))
      .map(({ line, what }) => `${file}:${line}: ${what}`),
  );
if (found.length === 0)
  console.log(`prose: lines of at most ${mostCharacters} characters, sentences of ${mostWords} words`);
else {
  for (const error of found) console.error(error);
  process.exitCode = 1;
}
