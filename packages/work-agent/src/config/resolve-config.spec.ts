import type { ManifestConfigOption } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { comparisonsFor, resolveManifestConfig } from './resolve-config.ts';

const meta = { group: 'apps', resource: 'deployments', namespace: 'test', name: 'test' };
const wellKnown: ManifestConfigOption['feedbackRules'] = [{ type: 'WellKnownStatus' }];
const paths: ManifestConfigOption['feedbackRules'] = [{ type: 'JSONPaths', jsonPaths: [{ name: 'a', path: '.a' }] }];
const conditions: ManifestConfigOption['conditionRules'] = [{ condition: 'Complete', type: 'WellKnownConditions' }];

const config = (name: string, rest: Partial<ManifestConfigOption> = {}, namespace = 'test'): ManifestConfigOption => ({
  resourceIdentifier: { group: 'apps', resource: 'deployments', namespace, name },
  ...rest,
});

describe('[work 18.C-47] the config of a manifest', () => {
  it.each<[string, ManifestConfigOption[] | undefined]>([
    ['there are no configs', undefined],
    ['the list is empty', []],
    ['another name is meant', [config('other', { feedbackRules: wellKnown })]],
    ['another namespace is meant', [config('test', { feedbackRules: wellKnown }, 'other')]],
    ['the config that matches has no rules', [config('test')]],
    ['it only says how to scrape', [config('test', { feedbackScrapeType: 'Watch' })]],
    [
      'the group holds a wildcard, which groups do not know',
      [
        {
          resourceIdentifier: { group: '*', resource: 'deployments', namespace: 'test', name: 'test' },
          feedbackRules: wellKnown,
        },
      ],
    ],
    [
      'the resource holds a wildcard, which resources do not know',
      [
        {
          resourceIdentifier: { group: 'apps', resource: '*', namespace: 'test', name: 'test' },
          feedbackRules: wellKnown,
        },
      ],
    ],
  ])('is none when %s', (_, configs) => {
    expect(resolveManifestConfig(configs, meta)).toBeUndefined();
  });

  it('is found when it has feedback rules alone, condition rules alone or a strategy alone', () => {
    expect(resolveManifestConfig([config('test', { feedbackRules: wellKnown })], meta)).toEqual({
      feedbackRules: wellKnown,
    });
    expect(resolveManifestConfig([config('test', { conditionRules: conditions })], meta)).toEqual({
      conditionRules: conditions,
    });
    expect(resolveManifestConfig([config('test', { updateStrategy: { type: 'CreateOnly' } })], meta)).toEqual({
      updateStrategy: { type: 'CreateOnly' },
    });
  });

  it.each(['*', 'test*', '*est', 't*t'])('is found by the wildcard %s in name and namespace', (pattern) => {
    expect(resolveManifestConfig([config(pattern, { feedbackRules: wellKnown }, pattern)], meta)).toEqual({
      feedbackRules: wellKnown,
    });
  });

  it('[work 18.E-63] takes each kind of rules from the first config that has it', () => {
    const configs = [
      config('test*', { feedbackRules: paths }),
      config('*', { feedbackRules: wellKnown, updateStrategy: { type: 'ReadOnly' } }),
      config('test', { updateStrategy: { type: 'Update' }, conditionRules: conditions }),
    ];
    expect(resolveManifestConfig(configs, meta)).toEqual({
      feedbackRules: paths,
      updateStrategy: { type: 'ReadOnly' },
      conditionRules: conditions,
    });
  });

  it('[work 18.J-140] prefers a specific entry that stands before a wildcard, for its object only', () => {
    const configs = [config('deploy1', { feedbackRules: paths }), config('*', { feedbackRules: wellKnown })];
    expect(resolveManifestConfig(configs, { ...meta, name: 'deploy1' })?.feedbackRules).toEqual(paths);
    expect(resolveManifestConfig(configs, { ...meta, name: 'deploy2' })?.feedbackRules).toEqual(wellKnown);
  });

  it('is compared with the wildcards of its resource alone, however many configs the work has', () => {
    const named = Array.from({ length: 5000 }, (_, index) => config(`test${index}`, { feedbackRules: paths }));
    expect(comparisonsFor(named, meta).patterns).toBe(0);
    expect(comparisonsFor([...named, config('test*'), config('test', {}, '*')], meta).patterns).toBe(2);
    expect(comparisonsFor([config('*')], { ...meta, resource: 'daemonsets' }).patterns).toBe(0);
    expect(comparisonsFor(undefined, meta).patterns).toBe(0);
  });

  it('takes the scrape type of the last config that matches, as OCM does', () => {
    const configs = [
      config('test', { feedbackRules: paths, feedbackScrapeType: 'Watch' }),
      config('*', { feedbackScrapeType: 'Poll' }),
    ];
    expect(resolveManifestConfig(configs, meta)?.feedbackScrapeType).toBe('Poll');
  });

  it('matches a core, cluster-scoped object, whose group and namespace are empty', () => {
    const configs: ManifestConfigOption[] = [
      { resourceIdentifier: { resource: 'namespaces', name: 'a' }, feedbackRules: wellKnown },
    ];
    expect(resolveManifestConfig(configs, { resource: 'namespaces', group: '', namespace: '', name: 'a' })).toEqual({
      feedbackRules: wellKnown,
    });
  });
});
