import { expect, it } from 'vitest';
import type { FieldCause } from '../errors/api-errors.ts';
import { Field } from './field.ts';
import { validateMetadata } from './metadata.ts';
import { dnsSubdomain } from './names.ts';

it('reports no more than a megabyte and the cause that exceeds it, of which each may show the whole list', () => {
  const causes: FieldCause[] = [];
  const ownerReferences = Array.from({ length: 1000 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: `owner-${index}`,
    uid: `uid-of-owner-${index}`,
    controller: true,
  }));
  const root = Field.root({ metadata: { name: 'a', ownerReferences } }, causes);
  validateMetadata(root.at('metadata'), { namespaced: false, name: dnsSubdomain });
  const listLetters = JSON.stringify(ownerReferences).length;
  expect(causes.length).toBeGreaterThan(1);
  expect(causes.length).toBeLessThan((1024 * 1024) / listLetters + 2);
});

it('notices a cause that is not reported any more', () => {
  const causes: FieldCause[] = [];
  let noticed = 0;
  const field = Field.root({ text: 'x'.repeat(1024 * 1024) }, causes)
    .at('text')
    .observed(() => {
      noticed += 1;
    });
  for (const _ of [1, 2, 3]) field.invalid('is too long');
  expect(causes).toHaveLength(1);
  expect(noticed).toBe(3);
});
