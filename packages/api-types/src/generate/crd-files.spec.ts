import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crdFiles } from './crd-files.ts';

const folder = new URL('../../crds/', import.meta.url);
const REMEDY = 'run `npm run generate` and check in what it writes';

describe('crds/', () => {
  const files = crdFiles();

  it('has one file for each kind and no other', () => {
    expect(readdirSync(folder).sort(), REMEDY).toEqual([...files.keys()].sort());
  });

  it.each([...files.keys()])('%s is what the schemas say', (name) => {
    expect(readFileSync(new URL(name, folder), 'utf8') === files.get(name), `${name} is stale: ${REMEDY}`).toBe(true);
  });
});
