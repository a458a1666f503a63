import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conversionFiles, crdFiles } from './crd-files.ts';

const REMEDY = 'run `npm run generate` and check in what it writes';

describe.each([
  ['crds/', crdFiles()],
  ['crds/conversion/', conversionFiles()],
])('%s', (path, files) => {
  const folder = new URL(`../../${path}`, import.meta.url);

  it('has one file for each kind and no other', () => {
    const present = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    expect(present.sort(), REMEDY).toEqual([...files.keys()].sort());
  });

  it.each([...files.keys()])('%s is what the schemas say', (name) => {
    expect(readFileSync(new URL(name, folder), 'utf8') === files.get(name), `${name} is stale: ${REMEDY}`).toBe(true);
  });
});
