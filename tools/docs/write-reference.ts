// Writes the pages that follow from the code, docs/reference/api and docs/reference/flags.md: nx run docs:reference
import { join } from 'node:path';
import { writeApiPages } from './api.ts';
import { writeFlagsPage } from './flags.ts';
import { installSiteTools } from './install.ts';

const root = join(import.meta.dirname, '../..');
installSiteTools(root);
await Promise.all([writeFlagsPage(root), writeApiPages(root)]);
