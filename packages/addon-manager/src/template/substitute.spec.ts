import { describe, expect, it } from 'vitest';
import { substitute } from './substitute.ts';

const configMap = (data: Record<string, unknown>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm' },
  data,
});
const filled = (data: Record<string, unknown>, variables: Record<string, string> = {}) =>
  substitute(configMap(data), variables).data;

describe('a variable of a template', () => {
  it('is filled in wherever its name stands between double braces', () => {
    const data = { '{{A}}-key': ['x{{A}}y{{B}}', { deep: '{{B}}' }], number: 1, nothing: null };
    expect(filled(data, { A: '1', B: '2' })).toEqual({ '1-key': ['x1y2', { deep: '2' }], number: 1, nothing: null });
  });

  it('[addons Q10] is empty if it does not exist, and its name is not trimmed', () => {
    expect(filled({ a: 'x{{NONE}}y{{ A }}z{{toString}}' }, { A: '1' })).toEqual({ a: 'xyz' });
  });

  it('that does not exist is reported', () => {
    const unknown: string[] = [];
    const data = { a: '{{ $labels.pod }} on {{CLUSTER_NAME}}' };
    substitute(configMap(data), { CLUSTER_NAME: 'c1' }, (name) => unknown.push(name));
    expect(unknown).toEqual([' $labels.pod ']);
  });

  it('[addons Q10] stays the text that it is, with quotes and backslashes', () => {
    expect(filled({ a: '{{A}}' }, { A: 'say "\\o/"\n' })).toEqual({ a: 'say "\\o/"\n' });
  });

  it('is not filled in a second time', () => {
    expect(filled({ a: '{{A}}' }, { A: '{{B}}', B: 'no' })).toEqual({ a: '{{B}}' });
  });

  it('is an error that names the manifest, the field and the text if its braces do not end', () => {
    expect(() => filled({ list: [{ a: 'x {{A' }] })).toThrow(
      'ConfigMap m: data.list[0].a is "x {{A"; "{{" needs a "}}" after it',
    );
  });
});
