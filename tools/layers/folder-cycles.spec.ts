import { describe, expect, it } from 'vitest';
import { importsOf } from '../imports.ts';
import { folderCycles } from './folder-cycles.ts';

/** The cycles between the folders of a package with these files. */
const cyclesOf = (sources: Record<string, string>) =>
  folderCycles(
    Object.entries(sources).map(([name, source]) => ({
      path: `packages/kube/src/${name}`,
      isTest: name.endsWith('.spec.ts'),
      imports: importsOf(name, source),
    })),
  );

describe('folders that import one another are reported with one import for each step', () => {
  it('two folders', () => {
    expect(
      cyclesOf({ 'meta/keys.ts': "\nimport '../resources/a.ts';", 'resources/a.ts': "import '../meta/keys.ts';" }),
    ).toEqual([
      {
        text: 'packages/kube/src: meta/ → resources/ → meta/',
        places: ['packages/kube/src/meta/keys.ts:2', 'packages/kube/src/resources/a.ts:1'],
      },
    ]);
  });

  it('three folders in a row, once', () => {
    expect(
      cyclesOf({ 'b/x.ts': "import '../c/x.ts';", 'c/x.ts': "import '../a/x.ts';", 'a/x.ts': "import '../b/x.ts';" }),
    ).toEqual([expect.objectContaining({ text: 'packages/kube/src: a/ → b/ → c/ → a/' })]);
  });

  it('files of the folders that do not import one another themselves', () => {
    const sources = {
      'a/one.ts': "import '../b/one.ts';",
      'b/one.ts': '',
      'b/two.ts': "import '../a/two.ts';",
      'a/two.ts': '',
    };
    expect(cyclesOf(sources)).toHaveLength(1);
  });

  it('imports of types only', () => {
    expect(
      cyclesOf({ 'a/x.ts': "import type { B } from '../b/x.ts';", 'b/x.ts': "export type * from '../a/x.ts';" }),
    ).toHaveLength(1);
  });

  it('folders inside a folder', () => {
    expect(cyclesOf({ 'agent/a/x.ts': "import '../b/x.ts';", 'agent/b/deep/x.ts': "import '../../a/x.ts';" })).toEqual([
      expect.objectContaining({ text: 'packages/kube/src/agent: a/ → b/ → a/' }),
    ]);
  });

  it('the shorter one of two cycles that share a step', () => {
    const sources = {
      'a/x.ts': "import '../b/x.ts';",
      'b/x.ts': "import '../a/x.ts'; import '../c/x.ts';",
      'c/x.ts': "import '../a/x.ts';",
    };
    expect(cyclesOf(sources).map(({ text }) => text)).toEqual(['packages/kube/src: a/ → b/ → a/']);
  });

  it('both of two cycles that share a folder', () => {
    const sources = {
      'a/x.ts': "import '../b/x.ts'; import '../c/x.ts';",
      'b/x.ts': "import '../a/x.ts';",
      'c/x.ts': "import '../a/x.ts';",
    };
    expect(cyclesOf(sources)).toHaveLength(2);
  });
});

describe('folders may', () => {
  it.each<[string, Record<string, string>]>([
    ['import one another in one direction', { 'a/x.ts': "import '../b/x.ts';", 'b/x.ts': "import '../c/x.ts';" }],
    [
      'import from and be imported by a file beside them',
      { 'a/x.ts': "import '../b.ts';", 'b.ts': "import './a/x.ts';" },
    ],
    [
      'import from and be imported by the folder around them',
      { 'a/b/x.ts': "import '../x.ts';", 'a/x.ts': "import './b/x.ts';" },
    ],
    [
      'be imported by specs in any direction',
      { 'a/x.ts': "import '../b/x.ts';", 'b/x.spec.ts': "import '../a/x.ts';" },
    ],
    ['have files that import one another', { 'a/x.ts': "import './y.ts';", 'a/y.ts': "import './x.ts';" }],
    ['import other packages', { 'a/x.ts': "import 'rxjs';", 'b/x.ts': "import '../a/x.ts';" }],
  ])('%s', (_, sources) => {
    expect(cyclesOf(sources)).toEqual([]);
  });
});
