// Builds the documentation site into docs/.vitepress/dist, with the reference pages that are there: nx run docs:site
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installSiteTools } from './install.ts';

const root = join(import.meta.dirname, '../..');
installSiteTools(root);
const { status } = spawnSync(join(root, 'docs/node_modules/.bin/vitepress'), ['build', 'docs'], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
