// Draws the import graph of the packages into docs/architecture.md. Run: node tools/layers/generate.ts
import { join } from 'node:path';
import { writeArchitecture } from './architecture-page.ts';

writeArchitecture(join(import.meta.dirname, '../..'));
