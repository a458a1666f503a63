import type { ManifestWork } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { condition, healthy, now, report, secondsAgo, workOf } from '../fixtures/works.ts';
import { sortWorks, workTable, workTree } from './work-rows.ts';
import { stageOf } from './work-state.ts';

const failing = workOf(['a', 'b'], {
  conditions: [condition('Applied', 'False', 'Failed to apply manifest work', 2)],
  resourceStatus: {
    manifests: [
      report(0, 'ConfigMap', 'a', [condition('Applied', 'True', '', 2)], {
        statusFeedback: {
          values: [
            { name: 'ReadyReplicas', fieldValue: { type: 'Integer', integer: 2 } },
            { name: 'JobComplete', fieldValue: { type: 'String', string: 'True' } },
          ],
        },
      }),
      report(1, 'ConfigMap', 'b', [condition('Applied', 'False', 'Failed to apply manifest: no', 2)]),
    ],
  },
});

const withMetadata = (work: ManifestWork, metadata: ManifestWork['metadata']): ManifestWork => ({
  ...work,
  metadata: { ...work.metadata, ...metadata },
});

describe('the table of works', () => {
  it('has the columns of clusteradm', () => {
    expect(workTable([healthy(['a']), failing], false, now)).toBe(
      [
        'NAME    CLUSTER    NUMBER OF MANIFESTS   APPLIED   AVAILABLE',
        'hello   cluster1   1                     True      True',
        'hello   cluster1   2                     False',
        '',
      ].join('\n'),
    );
  });

  it('shows more with -o wide', () => {
    const [, line] = workTable([failing], true, now).split('\n');
    expect(line).toMatch(/ 5m +a: ReadyReplicas=2 JobComplete=True +ConfigMap b: Failed to apply manifest: no$/);
  });

  it('is sorted by cluster, then by name', () => {
    const works = [
      withMetadata(failing, { namespace: 'c2', name: 'a' }),
      withMetadata(failing, { namespace: 'c1', name: 'b' }),
      withMetadata(failing, { namespace: 'c1', name: 'a' }),
    ];
    expect(sortWorks(works).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)).toEqual([
      'c1/a',
      'c1/b',
      'c2/a',
    ]);
  });
});

it('draws a tree of clusters, works and objects', () => {
  expect(workTree([failing, withMetadata(healthy(['a.b']), { namespace: 'cluster2' })])).toBe(
    `<ManifestWork>
├── cluster1
│   └── hello
│       ├── Number of Manifests  2
│       ├── Applied  False
│       ├── Available  Unknown
│       └── Resources
│           └── configmaps
│               ├── default/a  applied
│               └── default/b  not-applied
└── cluster2
    └── hello
        ├── Number of Manifests  1
        ├── Applied  True
        ├── Available  True
        └── Resources
            └── configmaps
                └── default/a.b  applied
`,
  );
});

describe('the stage of a work', () => {
  const untaken = withMetadata(workOf(['a']), { finalizers: [] });
  const deleting = { deletionTimestamp: secondsAgo(5) };
  it.each<[string, ManifestWork, string]>([
    ['all is well', healthy(['a']), ''],
    ['no agent has reported it', untaken, 'waits for the agent of the cluster'],
    ['it was just taken', workOf(['a']), 'the agent has taken it'],
    [
      'the spec is newer',
      withMetadata(healthy(['a']), { generation: 3 }),
      'the agent has not seen the last change yet',
    ],
    ['a manifest failed', failing, 'ConfigMap b: Failed to apply manifest: no'],
    [
      'an object is missing',
      workOf(['a'], {
        conditions: [condition('Applied', 'True', '', 2), condition('Available', 'False', '1 of 1 …', 2)],
      }),
      '1 of 1 …',
    ],
    ['it goes', withMetadata(healthy(['a']), deleting), 'is being deleted: the agent deletes what it applied'],
    ['it is deleted and has no finalizer', withMetadata(untaken, deleting), 'is being deleted'],
  ])('is shown when %s', (_, work, stage) => {
    expect(stageOf(work)).toBe(stage);
  });
});
