import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { describe, expect, it } from 'vitest';
import { definitionChange, definitionsVersion, writtenDefinition } from './definition.policy.ts';

const key = 'operator.open-cluster-management.io/version';
const definition = (version: string | undefined, plural = 'widgets'): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', ...(version && { annotations: { [key]: version } }) },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', listKind: 'WidgetList', plural, singular: 'widget' },
    scope: 'Cluster',
    conversion: { strategy: 'None' },
    versions: [],
  },
});

describe('[cli C32] a definition', () => {
  it.each<[string, CustomResourceDefinition | undefined, string]>([
    ['that is missing is created', undefined, 'create'],
    ['of nobody is updated', definition(undefined), 'update'],
    ['of an older operator is updated', definition('1.2.1'), 'update'],
    ['of a newer operator is left alone', definition('1.10.0', 'others'), 'none'],
    ['of the same version is left alone', definition(definitionsVersion), 'none'],
    ['of the same version that differs is updated', definition(definitionsVersion, 'others'), 'update'],
    ['whose version cannot be read is updated', definition('unknown'), 'update'],
  ])('%s', (_, live, expected) => {
    expect(definitionChange(live, definition(undefined))).toBe(expected);
  });

  it('is written with the version, and keeps what others put on it', () => {
    const live = { ...definition('1.0.0'), metadata: { name: 'widgets.example.com', labels: { mine: 'x' } } };
    const { metadata } = writtenDefinition(live, definition(undefined));
    expect(metadata.labels).toEqual({ mine: 'x' });
    expect(metadata.annotations?.[key]).toBe(definitionsVersion);
  });
});
