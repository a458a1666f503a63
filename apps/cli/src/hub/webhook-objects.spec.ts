import { readFileSync } from 'node:fs';
import type { KubeObject } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { controllerObjects } from './controller-objects.ts';
import { webhookObjects } from './webhook-objects.ts';

const deployed = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(new URL(`../../../hub/deploy/${file}`, import.meta.url), 'utf8')).map((document) =>
    document.toJS(),
  );

const byName = (objects: readonly KubeObject[]): Record<string, unknown> =>
  Object.fromEntries(
    objects.map(({ kind, metadata, ...rest }) => {
      const { apiVersion: _, ...content } = rest;
      return [`${kind} ${metadata?.name}`, content];
    }),
  );

describe('what init installs for the programs of the hub', () => {
  it('asks the webhooks that the manifests of the hub deploy, and does not insist on an answer', () => {
    const strict = JSON.parse(JSON.stringify(webhookObjects()).replaceAll('"Ignore"', '"Fail"'));
    expect(byName(strict)).toEqual(byName(deployed('webhook-configurations.yaml')));
  });

  it('lets the webhook server do what its manifests let it do', () => {
    const ours = controllerObjects().filter(({ metadata }) => metadata?.name?.includes('webhook'));
    expect(byName(ours)).toEqual(byName(deployed('webhook-rbac.yaml')));
  });
});
