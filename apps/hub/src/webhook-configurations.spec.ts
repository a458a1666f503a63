import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Configuration {
  readonly webhooks: readonly { readonly rules: readonly { resources: string[]; operations: string[] }[] }[];
}

it('[registration-hub 149] is asked neither about the status of objects nor about their deletion', async () => {
  const text = await readFile(new URL('../deploy/webhook-configurations.yaml', import.meta.url), 'utf8');
  const rules = parseAllDocuments(text).flatMap((document) =>
    (document.toJS() as Configuration).webhooks.flatMap((webhook) => webhook.rules),
  );
  expect(rules.length).toBeGreaterThan(3);
  for (const { resources, operations } of rules) {
    expect(operations).toEqual(['CREATE', 'UPDATE']);
    for (const resource of resources) expect(resource).toMatch(/^[a-z]+$/);
  }
});
