import { defineKind, rootOf, toCustomResourceDefinition } from '@flotilla/schema/define';
import { describe, expect, it } from 'vitest';
import { config } from './config.ts';
import { defineAddon } from './define-addon.ts';
import { kubeClient } from './registration.ts';

const render = () => [];
const maps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };

describe('a definition', () => {
  it('needs a name that names of objects can be made of', () => {
    expect(() => defineAddon({ name: 'My_Addon', render })).toThrow('name of the add-on is "My_Addon"');
  });

  it('[addons 140] declares each kind of configuration once', () => {
    const configs = { a: config.of(maps), b: config.of({ ...maps, version: 'v2' }) };
    expect(() => defineAddon({ name: 'probe', configs, render })).toThrow(
      'configs.b of add-on probe is of the kind configmaps., as configs.a is',
    );
  });

  it.each([
    ['version', { ...maps, version: '' }],
    ['resource', { ...maps, plural: '' }],
  ])('[addons 140] needs the %s of a kind', (field, type) => {
    expect(() => defineAddon({ name: 'probe', configs: { a: config.of(type) }, render })).toThrow(
      `configs.a of add-on probe has no ${field}`,
    );
  });

  it.each([
    ['of another kind', { ...maps, group: 'example.com', plural: 'others' }],
    ['that does not serve its version', { ...maps, group: 'example.com', version: 'v2' }],
  ])('refuses a CustomResourceDefinition %s', (_, other) => {
    const type = { ...maps, group: 'example.com' };
    const definition = toCustomResourceDefinition(defineKind({ resource: other, schema: rootOf('A map.', {}) }));
    expect(() => defineAddon({ name: 'probe', configs: { a: config.of(type, { definition }) }, render })).toThrow(
      `configs.a of add-on probe is configmaps.example.com in v1, but its definition serves ${other.plural}.example.com in ${other.version}`,
    );
  });

  it('gives no configs that it does not declare: the compiler refuses to read them', () => {
    // @ts-expect-error it declares none.
    defineAddon({ name: 'probe', render: ({ configs }) => [configs.typo] });
    // @ts-expect-error it declares another.
    defineAddon({ name: 'probe', configs: { maps: config.of(maps) }, render: ({ configs }) => [configs.typo] });
    defineAddon({ name: 'probe', configs: { maps: config.of(maps) }, render: ({ configs }) => [configs.maps ?? {}] });
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(defineAddon({ name: 'probe', render }))).toBe(true);
  });

  it('takes one permission or several', () => {
    const one = kubeClient({ permissions: (p) => p.bindClusterRole('view') });
    const several = kubeClient({ permissions: (p) => [p.bindClusterRole('view')] });
    expect(one).toEqual(several);
    expect(kubeClient().permissions).toEqual([]);
  });
});
