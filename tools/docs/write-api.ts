// Writes the API reference into docs/reference/api, and fails for an export without a doc comment: npm run docs:api
import { join } from 'node:path';
import { writeApiPages } from './api.ts';
import { installSiteTools } from './install.ts';

const root = join(import.meta.dirname, '../..');
installSiteTools(root);
await writeApiPages(root);
