import { describe, expect, it } from 'vitest';
import * as resourceTypes from '../resources.ts';
import { conditionVocabularies } from './condition-vocabularies.ts';
import type { ConditionTable } from './conditions/condition-table.ts';
import * as exported from './index.ts';
import type { NameTable } from './name-table.ts';
import { type Name, names, namesOn } from './registry.ts';
import { kindNames, resourceTable } from './resources.ts';
import { vocabularies } from './vocabularies.ts';

const vocabularyNames = Object.entries<NameTable>(vocabularies);
const conditionTables = Object.entries<ConditionTable>(conditionVocabularies);

/** `Label.ClusterName` → the exported constant. */
const resolve = (constant: string): unknown =>
  constant
    .split('.')
    .reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), exported);

/** Kubernetes' rule for label and annotation keys, finalizers and taint keys. */
const isQualifiedName = (key: string) => {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  return (
    /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key.slice(slash + 1)) &&
    (prefix === undefined || (prefix.length <= 253 && dnsSubdomain.test(prefix)))
  );
};

const inVocabulary = (...wanted: string[]) =>
  names().filter(({ constant }) => wanted.some((vocabulary) => constant.startsWith(`${vocabulary}.`)));
const asCases = (list: readonly Name[]) => list.map((name): [string, Name] => [name.constant, name]);
const isComposed = ({ value }: Name) => value.includes('{');

describe('the registry', () => {
  it('reaches every constant that the package exports', () => {
    const unreachable = names().filter(({ constant, value }) => {
      const found = resolve(constant);
      return constant.startsWith('featureGates.')
        ? found === undefined
        : found !== value && !(typeof found === 'object' && found !== null && Reflect.get(found, 'template') === value);
    });
    expect(unreachable).toEqual([]);
  });

  it('knows every exported set of constants', () => {
    const known = new Set(names().map(({ constant }) => constant.split(/[ .]/)[0]));
    const sets = Object.keys(exported).filter((name) => /^[A-Z]/.test(name) && name !== 'Permission');
    expect(sets.filter((name) => !known.has(name))).toEqual([]);
  });

  it('lists the names of a kind', () => {
    expect(namesOn('PlacementDecision').map(({ value }) => value)).toEqual([
      'cluster.open-cluster-management.io',
      'cluster.open-cluster-management.io/placement',
      'cluster.open-cluster-management.io/decision-group-name',
      'cluster.open-cluster-management.io/decision-group-index',
      '{placement}-decision-{number}',
    ]);
  });

  it('explains each name in a sentence', () => {
    const unexplained = names().filter(
      ({ constant, meaning }) => !constant.startsWith('FeedbackValue.') && !/^[A-Z.g].*[.]$/.test(meaning),
    );
    expect(unexplained).toEqual([]);
  });
});

describe('values', () => {
  // An object name may repeat within a vocabulary only where the objects are of different kinds.
  it.each(vocabularyNames)('are unique within %s', (vocabulary) => {
    const values = inVocabulary(vocabulary).map(({ value }) => value);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });

  it.each(asCases(inVocabulary('Label', 'Annotation', 'Finalizer', 'TaintKey').filter((n) => !isComposed(n))))(
    '%s is a qualified name and stands on a kind',
    (_, { value, on }) => {
      expect(isQualifiedName(value)).toBe(true);
      expect(on).not.toEqual([]);
    },
  );

  it('of composed label keys are qualified names too', () => {
    expect(isQualifiedName(exported.Label.AddOnFeature.of({ addOn: 'cluster-proxy' }))).toBe(true);
    expect(isQualifiedName(exported.Label.ManagedNamespace.of({ hubHash: 'a'.repeat(63) }))).toBe(true);
  });

  it.each(asCases(inVocabulary('Signer')))('%s is a domain, a slash and a path', (_, { value }) => {
    expect(value).toMatch(/^([a-z0-9][a-z0-9-]*[a-z0-9]\.)+[a-z]+\/[a-z0-9-.]+$/);
  });

  it.each(
    asCases(
      inVocabulary(
        'NamespaceName',
        'SecretName',
        'ConfigMapName',
        'ServiceAccountName',
        'LeaseName',
        'ServiceName',
      ).filter((name) => !isComposed(name)),
    ),
  )('%s is a DNS subdomain', (_, { value }) => {
    expect(value).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
  });

  it.each(asCases(inVocabulary('EventReason', 'EventAction', 'LogReason').filter((n) => !isComposed(n))))(
    '%s is in camel case',
    (_, { value }) => {
      expect(value).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(value.length).toBeLessThanOrEqual(128);
    },
  );
});

describe('conditions', () => {
  it.each(conditionTables)('of %s have unique types that Kubernetes accepts', (_, table) => {
    const types = Object.values(table).map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    for (const type of types) expect(type).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/);
  });

  it.each(conditionTables)('of %s have reasons that Kubernetes accepts', (_, table) => {
    const reasons = Object.values(table).flatMap((entry) =>
      Object.values(entry.reasons).flatMap((of) => Object.keys(of)),
    );
    for (const reason of reasons) expect(reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
  });

  it.each(conditionTables)('of %s with reasons have owners that exist', (_, table) => {
    const controllers = inVocabulary('ControllerName', 'AddOnControllerName').map(({ value }) => value);
    const owners = [...controllers, 'CloudEvents client of the work agent'];
    for (const entry of Object.values(table)) {
      expect(owners).toEqual(expect.arrayContaining([...entry.owners]));
      if (Object.keys(entry.reasons).length > 0) expect(entry.owners).not.toEqual([]);
    }
  });

  it('of condition rules all have reasons with the prefix by which they are recognised', () => {
    const reasons = Object.keys(exported.WorkManifestReason.Complete).concat(
      Object.keys(exported.ManifestWorkReason.Complete),
    );
    for (const reason of reasons) expect(reason.startsWith(exported.conditionRuleReasonPrefix)).toBe(true);
  });
});

describe('resources', () => {
  it('agree with the resource types of the package', () => {
    const disagreeing = Object.values(resourceTypes).filter(({ kind, group, plural }) => {
      const own = kindNames.find((name) => name === kind);
      return !own || resourceTable[own].group !== group || resourceTable[own].plural !== plural;
    });
    expect(disagreeing).toEqual([]);
  });
});
