import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';

describe('parsing a kubeconfig', () => {
  it('takes an empty file as one without entries', () => {
    expect(parseKubeconfig('', '/k')).toMatchObject({ files: ['/k'] });
    expect(parseKubeconfig('', '/k').contexts.size).toBe(0);
  });

  it.each([
    ['a: [', /^Config: \/k is not YAML: /],
    ['[]', /^Config: \/k must be an object/],
    ['clusters: {}', /^Config: \/k: clusters must be a list/],
    ['clusters: [x]', /^Config: clusters\[0\] in \/k must be an object/],
    ['users: [{user: {}}]', /^Config: users\[0\] in \/k: name is missing/],
    ['users: [{name: a, user: x}]', /^Config: user "a" in \/k must be an object/],
    ['current-context: 7', /^Config: \/k: current-context must be a string/],
  ])('refuses %j and says where it is wrong', (text, message) => {
    expect(() => parseKubeconfig(text, '/k')).toThrow(message);
  });
});

const name: fc.Arbitrary<string> = fc.constantFrom('red', 'blue', 'green', 'black');
const file = fc.record({
  current: fc.option(name, { nil: undefined }),
  clusters: fc.uniqueArray(name),
  users: fc.uniqueArray(name),
  contexts: fc.uniqueArray(name),
});

describe('merging kubeconfigs', () => {
  it('takes each entry whole from the first file that has its name, and the first current context', () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 5 }), (files) => {
        const configs = files.map(({ current, clusters, users, contexts }, index): Kubeconfig => {
          const list = (names: string[], field: string) =>
            names.map((name) => ({ name, [field]: { [`only-${index}`]: 'x' } }));
          const text = stringify({
            'current-context': current,
            clusters: list(clusters, 'cluster'),
            users: list(users, 'user'),
            contexts: list(contexts, 'context'),
          });
          return parseKubeconfig(text, `/${index}`);
        });
        const merged = mergeKubeconfigs(configs);
        expect(merged.currentContext).toBe(files.find(({ current }) => current !== undefined)?.current);
        for (const kind of ['clusters', 'users', 'contexts'] as const) {
          expect(new Set(merged[kind].keys())).toEqual(new Set(files.flatMap((one) => one[kind])));
          for (const [entryName, entry] of merged[kind]) {
            const first = files.findIndex((one) => one[kind].includes(entryName));
            expect([entry.file, entry.fields.names()]).toEqual([`/${first}`, [`only-${first}`]]);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
