import { describe, expect, it } from 'vitest';
import { deployment, workload } from './fixtures/template.ts';
import { manifestConfigsOf } from './manifest-configs.ts';

const job = workload('batch/v1', 'Job', 'once');
const createOnly = (group: string, resource: string, name: string) => ({
  resourceIdentifier: { group, resource, namespace: 'own', name },
  updateStrategy: { type: 'CreateOnly' },
});

describe('the manifest configs of a template', () => {
  it('let Jobs and Pods be created and not changed, and leave other workloads alone', () => {
    const manifests = [deployment('hello'), job, workload('v1', 'Pod', 'p'), workload('batch/v1', 'CronJob', 'c')];
    expect(manifestConfigsOf([], manifests, '')).toEqual([
      createOnly('batch', 'jobs', 'once'),
      createOnly('', 'pods', 'p'),
    ]);
  });

  it('leave a hook alone', () => {
    const metadata = { ...job.metadata, annotations: { 'addon.open-cluster-management.io/addon-pre-delete': '' } };
    expect(manifestConfigsOf([], [{ ...job, metadata }], '')).toEqual([]);
    const labels = { 'addon.open-cluster-management.io/addon-pre-delete': '' };
    expect(manifestConfigsOf([], [{ ...job, metadata: { ...job.metadata, labels } }], '')).toEqual([]);
  });

  it('are what the template says about a Job', () => {
    const resourceIdentifier = { group: 'batch', resource: 'jobs', namespace: 'own', name: 'once' };
    const declared = [{ resourceIdentifier, updateStrategy: { type: 'ServerSideApply' as const } }];
    expect(manifestConfigsOf(declared, [job], '')).toEqual(declared);
  });

  it('follow their manifests into the install namespace', () => {
    const named = (namespace: string) => ({
      resourceIdentifier: { group: 'apps', resource: 'deployments', namespace, name: 'hello' },
    });
    const clusterScoped = { resourceIdentifier: { group: '', resource: 'namespaces', name: 'n' } };
    expect(manifestConfigsOf([named('own'), clusterScoped], [], 'addons')).toEqual([named('addons'), clusterScoped]);
    expect(manifestConfigsOf([named('own')], [], '')).toEqual([named('own')]);
  });
});
