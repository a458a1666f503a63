import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const directory = new URL('../deploy/', import.meta.url);
const files = readdirSync(directory);

it.each(files)('%s grants nothing by wildcard, and runs nothing as root', (file) => {
  const documents = parseAllDocuments(readFileSync(new URL(file, directory), 'utf8'));
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) {
    expect(document.errors).toEqual([]);
    const { kind, rules = [], spec = {} } = document.toJS();
    expect(JSON.stringify(rules)).not.toContain('"*"');
    if (kind !== 'Deployment') continue;
    const { securityContext, containers } = spec.template.spec;
    expect(securityContext.runAsNonRoot).toBe(true);
    for (const container of containers) expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  }
});
