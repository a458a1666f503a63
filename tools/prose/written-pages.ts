import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Pages that programs write. */
const generated = /^docs\/reference\/(api\/|acceptance\/|flags\.md|names\.md)|(^|\/)CHANGELOG\.md$/;

export const root = join(import.meta.dirname, '../..');

/** The Markdown pages that no program writes, as whole paths. */
export const writtenPages = (): string[] =>
  globSync('**/*.md', { cwd: root, exclude: (name) => ['node_modules', 'dist', '.git', '.nx'].includes(name) })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !generated.test(file))
    .sort()
    .map((file) => join(root, file));
