import { describe, expect, it } from 'vitest';
import { negotiate } from './accept.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

describe('the accepted media types', () => {
  it.each([
    ['nothing', undefined, { encoding: 'json', as: 'object' }],
    ['anything', '*/*', { encoding: 'json', as: 'object' }],
    ['YAML', 'application/yaml', { encoding: 'yaml', as: 'object' }],
    ['protobuf or JSON', `${protobuf},application/json`, { encoding: 'json', as: 'object' }],
    [
      'metadata in protobuf or JSON',
      `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json`,
      { encoding: 'json', as: 'metadata' },
    ],
    [
      'a table or else the object',
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      { encoding: 'json', as: 'table' },
    ],
  ])('%s are answered in what the server can write', (_, accept, expected) => {
    expect(negotiate(accept)).toEqual(expected);
  });

  it('of a watch in protobuf or JSON are answered in JSON', () => {
    const accept = `${protobuf};stream=watch,application/json;stream=watch`;
    expect(negotiate(accept, { isWatch: true })).toEqual({ encoding: 'json', as: 'object' });
    expect(negotiate(accept)).toEqual({ encoding: 'json', as: 'object' });
  });

  it.each([
    ['only protobuf', protobuf, false],
    ['a watch in only protobuf', `${protobuf};stream=watch`, true],
    ['a watch in YAML', 'application/yaml', true],
    ['a stream in YAML', 'application/yaml;stream=watch', false],
    ['an unknown stream', 'application/json;stream=other', false],
    ['an unknown form', 'application/json;as=Poem;g=meta.k8s.io;v=v1', false],
  ])('%s are refused with 406', (_, accept, isWatch) => {
    expect(() => negotiate(accept, { isWatch })).toThrow(expect.objectContaining({ status: 406 }));
  });
});
