import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { conversionReview, convertedObjects, reviewVersionOf } from './conversion-review.ts';

const thing = (metadata: KubeObject['metadata'] = {}, apiVersion = 'example.com/v1'): KubeObject => ({
  apiVersion,
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', ...metadata },
});
const question = {
  uid: 'q1',
  reviewVersion: 'v1',
  desiredAPIVersion: 'example.com/v2',
  objects: [thing({ labels: { old: 'x' }, finalizers: ['f/x'] })],
};
const answer = (response: object, apiVersion = 'apiextensions.k8s.io/v1') => ({
  apiVersion,
  kind: 'ConversionReview',
  response: { uid: 'q1', result: { status: 'Success' }, ...response },
});
const v2 = (metadata?: KubeObject['metadata']) => thing(metadata, 'example.com/v2');

it('asks in the first version that both know', () => {
  expect(reviewVersionOf(['v9', 'v1beta1', 'v1'])).toBe('v1beta1');
  expect(() => reviewVersionOf(['v9'])).toThrow('no supported conversion review versions');
  expect(conversionReview(question)).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'q1', desiredAPIVersion: 'example.com/v2', objects: question.objects },
  });
});

it('takes labels and annotations from the answer and all other metadata from the original', () => {
  const converted = v2({ labels: { new: 'y' }, annotations: { a: 'b' }, resourceVersion: '9', finalizers: [] });
  expect(convertedObjects(question, answer({ convertedObjects: [{ ...converted, spec: { x: 1 } }] }))).toEqual([
    { ...v2({ labels: { new: 'y' }, annotations: { a: 'b' }, finalizers: ['f/x'] }), spec: { x: 1 } },
  ]);
});

describe('an answer is refused', () => {
  it.each<[string, unknown, string]>([
    [
      'of another kind',
      { response: {} },
      'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview',
    ],
    ['without a response', { ...answer({}), response: undefined }, 'no response provided'],
    ['to another question', answer({ uid: 'q2' }), 'expected response.uid="q1", got "q2"'],
    ['that is a failure', answer({ result: { status: 'Failure', message: 'no way' } }), 'no way'],
    ['that is not a success', answer({ result: {} }), "response.result.status was '', not 'Success'"],
    ['with too few objects', answer({ convertedObjects: [] }), 'returned 0 objects, expected 1'],
    ['with no object', answer({ convertedObjects: [{ toString: false }] }), 'invalid groupVersion'],
    [
      'in another version',
      answer({ convertedObjects: [thing()] }),
      '(expected example.com/v2, received example.com/v1)',
    ],
    ['with another kind', answer({ convertedObjects: [{ ...v2(), kind: 'X' }] }), '(expected Thing, received X)'],
    ['with another name', answer({ convertedObjects: [v2({ name: 'b' })] }), 'must have the same name: a != b'],
    ['with another uid', answer({ convertedObjects: [v2({ uid: 'w' })] }), 'must have the same UID: u != w'],
    ['without metadata', answer({ convertedObjects: [{ ...v2(), metadata: 1 }] }), 'missing metadata'],
    [
      'with labels that are none',
      answer({ convertedObjects: [{ ...v2(), metadata: { ...v2().metadata, labels: { a: 1 } } }] }),
      'metadata.labels',
    ],
  ])('%s', (_, wrong, why) => {
    expect(() => convertedObjects(question, wrong)).toThrow(why);
  });
});
