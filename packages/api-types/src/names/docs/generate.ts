import { writeFileSync } from 'node:fs';
import { namesPageUrl } from './location.ts';
import { renderNamesPage } from './names-page.ts';

// Writes the reference page of all names.
writeFileSync(namesPageUrl, renderNamesPage());
process.stdout.write('wrote docs/reference/names.md\n');
