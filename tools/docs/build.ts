// Builds the documentation site into docs/.vitepress/dist: npm run docs
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeApiPages } from './api.ts';
import { writeFlagsPage } from './flags.ts';
import { installSiteTools } from './install.ts';

const root = join(import.meta.dirname, '../..');
installSiteTools(root);
await Promise.all([writeFlagsPage(root), writeApiPages(root)]);
execFileSync(join(root, 'docs/node_modules/.bin/vitepress'), ['build', 'docs'], { cwd: root, stdio: 'inherit' });
