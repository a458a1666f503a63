import type { ManifestWork } from '@flotilla/api-types';
import { defaultManifestLimit, validateManifests } from '@flotilla/work-manager';
import { describe, expect, it } from 'vitest';
import { condition } from '../fixtures/works.ts';
import { exampleWork } from './example-work.ts';
import { workProgressLines, workStepsTaken } from './work-progress.ts';

const example = exampleWork('cluster1');
const applied: ManifestWork = {
  ...example,
  metadata: { ...example.metadata, generation: 1 },
  status: { conditions: [condition('Applied', 'True', '', 1), condition('Available', 'True', '', 1)] },
};
const reporting = (ready: number): ManifestWork => ({
  ...applied,
  status: {
    ...applied.status,
    resourceStatus: {
      manifests: [
        {
          resourceMeta: { ordinal: 1 },
          conditions: [],
          statusFeedback: {
            values: [
              { name: 'ReadyReplicas', fieldValue: { type: 'Integer', integer: ready } },
              { name: 'Replicas', fieldValue: { type: 'Integer', integer: 2 } },
            ],
          },
        },
      ],
    },
  },
});

describe('the example work of the quickstart', () => {
  it('is a work that the hub takes', () => {
    const { manifests = [] } = example.spec?.workload ?? {};
    expect(validateManifests(manifests, defaultManifestLimit)).toBeUndefined();
  });

  it.each<[string, ManifestWork, number]>([
    ['just made', example, 1],
    ['applied', applied, 2],
    ['applied in an older form', { ...applied, metadata: { ...applied.metadata, generation: 2 } }, 1],
    ['half ready', reporting(1), 2],
    ['ready', reporting(2), 3],
  ])('has taken its steps when %s', (_, work, steps) => {
    expect(workStepsTaken(work)).toBe(steps);
  });

  it('is reported step by step', () => {
    expect(workProgressLines(reporting(2), 0, 3)).toEqual([
      'cluster1 is given work hello: ConfigMap, Deployment',
      'cluster1 has applied work hello',
      'cluster1 reports feedback of work hello: ReadyReplicas=2 Replicas=2',
    ]);
    expect(workProgressLines(reporting(2), 2, 2)).toEqual([]);
  });
});
