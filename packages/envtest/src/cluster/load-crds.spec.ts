import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flotillaCrds, loadCrds } from './load-crds.ts';

const folder = (files: Record<string, string>): string => {
  const directory = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
};

test('a directory gives the objects of all its YAML and JSON files, in the order of names and documents', async () => {
  const directory = folder({
    'b.yaml': 'kind: B1\n---\nkind: B2\n---\n',
    'a.json': '{"kind":"A"}',
    'README.md': 'kind: not read',
  });
  expect((await loadCrds([directory])).map(({ kind }) => kind)).toEqual(['A', 'B1', 'B2']);
});

test('a file is read whatever its name', async () => {
  const directory = folder({ crd: 'kind: C' });
  expect(await loadCrds([join(directory, 'crd')])).toEqual([{ kind: 'C' }]);
});

test('a missing path and a broken file are named', async () => {
  await expect(loadCrds(['/nowhere'])).rejects.toThrow('InvalidOption: CRDs: /nowhere cannot be read');
  const directory = folder({ 'broken.yaml': 'a: [' });
  await expect(loadCrds([directory])).rejects.toThrow(/broken\.yaml is not YAML/);
});

test("Flotilla's own CRDs come from api-types", async () => {
  const names = (await flotillaCrds()).map(({ metadata }) => metadata?.name);
  expect(names).toContain('managedclusters.cluster.open-cluster-management.io');
  expect(names).toContain('manifestworks.work.open-cluster-management.io');
});
