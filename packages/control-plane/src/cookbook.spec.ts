import { readFileSync } from 'node:fs';
import { configMaps, events, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as cookbook from '../examples/cookbook.ts';
import { type ControlPlane, startControlPlane } from './index.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows each recipe on the page, under its title', () => {
  const [, ...recipes] = read('../examples/cookbook.ts').split(/^\/\/ /m);
  const shown = recipes.map((recipe) => {
    const [title = '', ...code] = recipe.split('\n');
    return `## ${title}\n\n\`\`\`ts\n${code.join('\n').trim()}\n\`\`\``;
  });
  expect(shown).toHaveLength(12);
  const page = read('../../../docs/cookbook.md');
  for (const section of shown) expect(page).toContain(section);
});

describe('the recipes', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ listen: false });
  });
  afterAll(() => plane?.stop());

  const create = (name: string, labels: Record<string, string> = {}) =>
    plane.client.resource(configMaps).create({ metadata: { namespace: 'default', name, labels } });

  it('list, cache and index', async () => {
    await create('labelled', { app: 'shop' });
    expect(await cookbook.listEverywhere(plane.client)).toEqual(['default/labelled']);
    expect(await cookbook.countByApp(plane.client, 'shop')).toBe(1);
    expect(await cookbook.namesByClientNode(plane.client)).toContain('default');
  });

  it('apply, patch, watch and count', async () => {
    const waiting = cookbook.waitForColor(plane.client, 'blue');
    await cookbook.applyConfigMap(plane.client);
    await waiting;
    await cookbook.labelNamespace(plane.client);
    expect((await plane.client.resource(namespaces).get('default')).metadata?.labels?.team).toBe('shop');
    await create('counter');
    await Promise.all([1, 2, 3].map(() => cookbook.countUp(plane.client)));
    expect((await plane.client.resource(configMaps).get('default/counter')).data).toEqual({ count: '3' });
  });

  it('record events, own and clean up', async () => {
    const settings = await cookbook.applyConfigMap(plane.client);
    await cookbook.recordEvent(plane.client, settings);
    const { items } = await plane.client.resource(events).list({ namespace: 'default' });
    expect(items).toMatchObject([{ reason: 'Painted', regarding: { name: 'settings' } }]);
    const owned = await cookbook.createOwned(plane.client, settings);
    expect(owned.metadata?.ownerReferences).toMatchObject([{ name: 'settings', controller: true }]);
    await cookbook.cleanUp(plane.client, settings);
    expect(await plane.client.resource(configMaps).find('default/settings')).toBeUndefined();
  });

  it('review access and get tokens', async () => {
    expect(await cookbook.mayReadSecrets(plane.client, 'jane')).toMatchObject({ allowed: false });
    expect(await cookbook.tokenOf(plane.client)).toMatch(/^eyJ/);
  });
});
