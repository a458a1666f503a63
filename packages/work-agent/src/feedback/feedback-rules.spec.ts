import type { ManifestFeedbackRule } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { compileFeedbackRules, type FeedbackOptions } from './feedback-rules.ts';

const plain: FeedbackOptions = { rawJson: false, maxJsonRawLength: 1024 };
const raw: FeedbackOptions = { rawJson: true, maxJsonRawLength: 1024 };
const wellKnown: ManifestFeedbackRule = { type: 'WellKnownStatus' };

const paths = (...jsonPaths: { name: string; path: string; version?: string }[]): ManifestFeedbackRule => ({
  type: 'JSONPaths',
  jsonPaths,
});

const object = (apiVersion: string, kind: string, status: unknown, rest = {}): KubeObject & { status: unknown } => ({
  apiVersion,
  kind,
  metadata: { name: 'a' },
  status,
  ...rest,
});

const read = (of: KubeObject, rules: ManifestFeedbackRule[], options = plain) =>
  compileFeedbackRules(rules, options).read(of);

const integer = (name: string, value: number) => ({ name, fieldValue: { type: 'Integer', integer: value } });
const text = (name: string, value: string) => ({ name, fieldValue: { type: 'String', string: value } });

const deployment = object('apps/v1', 'Deployment', {
  readyReplicas: 1,
  replicas: 2,
  conditions: [
    { type: 'Available', status: 'True', lastUpdateTime: null, lastTransitionTime: null },
    { type: 'Progressing', status: 'False' },
  ],
});

describe('well-known values', () => {
  it('[work 18.J-130] of a Deployment come in order, without those that it does not have', () => {
    expect(read(deployment, [wellKnown])).toEqual({
      values: [integer('ReadyReplicas', 1), integer('Replicas', 2)],
      errors: [],
    });
  });

  it('[work 18.J-131] of a Job, a Pod and a DaemonSet come in order', () => {
    const job = object('batch/v1', 'Job', { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] });
    expect(read(job, [wellKnown]).values).toEqual([text('JobComplete', 'True'), integer('JobSucceeded', 1)]);

    const pod = object('v1', 'Pod', { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] });
    expect(read(pod, [wellKnown]).values).toEqual([text('PodReady', 'False'), text('PodPhase', 'Running')]);

    const reader = compileFeedbackRules([wellKnown], plain);
    const daemonSet = (ready: number) =>
      object('apps/v1', 'DaemonSet', { numberReady: ready, desiredNumberScheduled: 3, numberAvailable: ready });
    expect(reader.read(daemonSet(1)).values).toEqual([
      integer('NumberReady', 1),
      integer('DesiredNumberScheduled', 3),
      integer('NumberAvailable', 1),
    ]);
    expect(reader.read(daemonSet(3)).values[0]).toEqual(integer('NumberReady', 3));
  });

  it('[work 18.J-133] of a kind that has none are an error', () => {
    expect(read(object('v1', 'ServiceAccount', {}), [wellKnown])).toEqual({
      values: [],
      errors: ['cannot find the wellknown statuses for resource with gvk /v1, Kind=ServiceAccount'],
    });
    expect(read(object('apps/v1beta1', 'Deployment', {}), [wellKnown]).errors).toEqual([
      'cannot find the wellknown statuses for resource with gvk apps/v1beta1, Kind=Deployment',
    ]);
  });
});

describe('values by path', () => {
  it('may be anywhere in the object, and are left out when missing or null', () => {
    const of = object('v1', 'ConfigMap', null, { data: { test: 'testdata' }, flag: true, none: null });
    const rules = [
      paths(
        { name: 'data', path: '.data.test' },
        { name: 'flag', path: '.flag' },
        { name: 'none', path: '.none' },
        { name: 'missing', path: '.status.deep.missing' },
      ),
    ];
    expect(read(of, rules)).toEqual({
      values: [text('data', 'testdata'), { name: 'flag', fieldValue: { type: 'Boolean', boolean: true } }],
      errors: [],
    });
  });

  it('[work 18.J-139] follow those of an earlier rule', () => {
    const rules = [wellKnown, paths({ name: 'name', path: '.metadata.name' })];
    expect(read(deployment, rules).values).toEqual([
      integer('ReadyReplicas', 1),
      integer('Replicas', 2),
      text('name', 'a'),
    ]);
  });

  it('[work 18.J-132] are kept when another path leads to a list', () => {
    const rules = [paths({ name: 'list', path: '.status.conditions' }, { name: 'replicas', path: '.status.replicas' })];
    expect(read(deployment, rules)).toEqual({
      values: [integer('replicas', 2)],
      errors: ['the type []interface {} of the value for list is not found'],
    });
  });

  it('[work 18.J-134] fail alone when they are written for another version', () => {
    const rules = [
      paths(
        { name: 'other', path: '.status.replicas', version: 'v1beta1' },
        { name: 'same', path: '.status.replicas', version: 'v1' },
      ),
    ];
    expect(read(deployment, rules)).toEqual({
      values: [integer('same', 2)],
      errors: ['version set in the path other is not matched for the related resource'],
    });
  });

  it.each([
    ['.status.conditions[', 'failed to parse json path .status.conditions[ of x with error: unterminated array'],
    ['.status.replicas[0]', 'failed to find value for x with error: int64 is not array or slice'],
    ['.status', 'the type map[string]interface {} of the value for x is not found'],
  ])('say what is wrong with the path %s', (path, error) => {
    expect(read(deployment, [paths({ name: 'x', path })])).toEqual({ values: [], errors: [error] });
  });

  it('say that a fraction is not an integer', () => {
    const rules = [paths({ name: 'x', path: '.status.load' })];
    expect(read(object('v1', 'X', { load: 0.5 }), rules).errors).toEqual([
      'the type float64 of the value for x is not found',
    ]);
  });
});

describe('several matches', () => {
  const rules = [paths({ name: 'types', path: '.status.conditions[*].type' })];

  it('[work 18.J-135] are the first one without the gate, and a list with it', () => {
    expect(read(deployment, rules).values).toEqual([text('types', 'Available')]);
    expect(read(deployment, rules, raw).values).toEqual([
      { name: 'types', fieldValue: { type: 'JsonRaw', jsonRaw: '["Available","Progressing"]' } },
    ]);
  });
});

describe('raw JSON', () => {
  const rules = [paths({ name: 'x', path: '.status.conditions[:1]' })];
  const list = [paths({ name: 'x', path: '.status.list' })];

  it('[work 18.J-136] is compact with sorted keys', () => {
    expect(read(deployment, rules, raw).values[0]?.fieldValue.jsonRaw).toBe(
      '{"lastTransitionTime":null,"lastUpdateTime":null,"status":"True","type":"Available"}',
    );
  });

  it('is written as Go writes it', () => {
    const of = object('v1', 'X', { list: ['<a&b>', 1e21, 0.5, -0.0000001] });
    expect(read(of, list, raw).values[0]?.fieldValue.jsonRaw).toBe('["\\u003ca\\u0026b\\u003e",1e+21,0.5,-1e-7]');
  });

  it('[work 18.J-136] longer than the limit is an error', () => {
    expect(read(deployment, rules, { rawJson: true, maxJsonRawLength: 10 })).toEqual({
      values: [],
      errors: ['the length of returned json raw string for name x is larger than the maximum length 10'],
    });
  });

  it('counts bytes, not characters', () => {
    const of = object('v1', 'X', { list: ['ü'] });
    expect(read(of, list, { rawJson: true, maxJsonRawLength: 6 }).errors).toEqual([]);
    expect(read(of, list, { rawJson: true, maxJsonRawLength: 5 }).errors).toHaveLength(1);
  });
});
