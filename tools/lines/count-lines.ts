/** Lines of one package: of what it does, and of its specs and their worlds. */
export interface LineCount {
  source: number;
  tests: number;
}

const isTest = /\.(spec|kube)\.ts$|\/(fixtures|examples)\//;

/** Sums up by package what `git grep --count` prints: `revision:packages/kube/src/index.ts:12`. */
export function countLines(output: string, revision: string): Map<string, LineCount> {
  const counts = new Map<string, LineCount>();
  for (const line of output.split('\n').filter((each) => each !== '')) {
    const [path = '', lines = ''] = line.slice(revision.length + 1).split(/:(?=\d+$)/);
    const [group = '', name = ''] = path.split('/');
    const key = group === 'packages' || group === 'apps' || group === 'examples' ? `${group}/${name}` : group;
    const count = counts.get(key) ?? { source: 0, tests: 0 };
    count[isTest.test(path) || group === 'e2e' ? 'tests' : 'source'] += Number(lines);
    counts.set(key, count);
  }
  return counts;
}

/** A Markdown table of two counts. */
export function lineTable(before: ReadonlyMap<string, LineCount>, after: ReadonlyMap<string, LineCount>): string {
  const none: LineCount = { source: 0, tests: 0 };
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  const rows = keys.map((key) => [key, before.get(key) ?? none, after.get(key) ?? none] as const);
  const sum = (counts: Iterable<LineCount>): LineCount =>
    [...counts].reduce((a, b) => ({ source: a.source + b.source, tests: a.tests + b.tests }), none);
  const all = ['all', sum(before.values()), sum(after.values())] as const;
  return [
    '| package | source before | after | tests before | after |',
    '| --- | --- | --- | --- | --- |',
    ...[...rows, all].map(
      ([key, a, b]) => `| ${key} | ${a.source || ''} | ${b.source || ''} | ${a.tests || ''} | ${b.tests || ''} |`,
    ),
  ].join('\n');
}
