import { describe, expect, it } from 'vitest';
import { parseManifests } from './manifests.ts';

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const namesIn = (text: string) => parseManifests(text, 'app.yaml').map(({ metadata }) => metadata?.name);

describe('manifests in a text', () => {
  it('keep the digits of integers of 64 bits', () => {
    const [manifest] = parseManifests(
      `${configMap('a')}spec: { large: 9007199254740993, small: 7, float: 1.5 }\n`,
      'a.yaml',
    );
    expect(manifest).toMatchObject({ spec: { large: 9007199254740993n, small: 7, float: 1.5 } });
  });

  it.each([
    ['one document', configMap('a'), ['a']],
    ['several documents', `${configMap('a')}---\n${configMap('b')}`, ['a', 'b']],
    ['empty documents between', `---\n# nothing\n---\n${configMap('a')}---\n`, ['a']],
    ['a list', `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n`, ['p']],
    ['JSON', '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}', ['p']],
    ['nothing', '', []],
  ])('are found in %s', (_, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it('are read as Go reads YAML: octal modes and yes, but times as texts', () => {
    const text = `${configMap('a')}spec: {mode: 0644, flag: yes, time: 2026-01-01T00:00:00Z, ratio: 1:30, big: 1_000}`;
    expect(parseManifests(text, 'x')[0]?.spec).toEqual({
      mode: 420,
      flag: true,
      time: '2026-01-01T00:00:00Z',
      ratio: '1:30',
      big: 1000,
    });
  });

  it.each([
    ['a broken document', `${configMap('a')}---\na: [`, /^document 2 of app.yaml is not YAML: /],
    ['a key twice', `${configMap('a')}kind: Secret\n`, /^app.yaml is not YAML: Map keys must be unique/],
    ['a text', 'hello', /^app.yaml is not a Kubernetes object$/],
    ['an object without a kind', 'apiVersion: v1', /^app.yaml is not a Kubernetes object$/],
    [
      'an item of a list that is none',
      'apiVersion: v1\nkind: List\nitems: [{}]',
      /^item 0 of app.yaml is not a Kubernetes object/,
    ],
  ])('are refused where there is %s, with the place', (_, text, message) => {
    expect(() => namesIn(text)).toThrow(message);
  });
});
