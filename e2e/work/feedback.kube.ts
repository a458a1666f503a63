import { findCondition } from '@flotilla/kube';
import { configMaps, deployments, jobs, pods } from '@flotilla/kube/kinds';
import { beforeAll, expect, it } from 'vitest';
import { configMap, configOf, helloPod } from './manifests.ts';
import { onEachServer } from './suite.ts';
import { manifestOf, workCondition } from './work-world.ts';

const wellKnown = { feedbackRules: [{ type: 'WellKnownStatus' as const }] };
const template = (name: string, restartPolicy?: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: 'c', image: 'busybox' }], ...(restartPolicy && { restartPolicy }) },
});

onEachServer((world) => {
  beforeAll(() => {
    world().startAgent();
  });

  it('the phase of a pod is on the hub as soon as it changes', async () => {
    const { managed, create, synced, until } = world();
    await synced(await create('pod', [helloPod('fed')], { manifestConfigs: [configOf('pods', 'fed', wellKnown)] }));
    for (const phase of ['Running', 'Succeeded']) {
      await managed.resource(pods).status.patch('default/fed', { type: 'merge', body: { status: { phase } } });
      await until('pod', `phase ${phase}`, (work) =>
        Boolean(
          manifestOf(work)?.statusFeedback?.values?.some(
            ({ name, fieldValue }) => name === 'PodPhase' && fieldValue.string === phase,
          ),
        ),
      );
    }
  });

  it('replicas of a deployment are reported as numbers', async () => {
    const { managed, create, synced, until } = world();
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'counted' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'counted' } }, template: template('counted') },
    };
    const manifestConfigs = [configOf('deployments', 'counted', wellKnown, 'apps')];
    const work = await create('deployment', [deployment], { manifestConfigs });
    await synced(work);
    // Where no controller does it, the test says what one would say.
    const body = { status: { replicas: 2, updatedReplicas: 2, unavailableReplicas: 2 } };
    await managed.resource(deployments).status.patch('default/counted', { type: 'merge', body });
    const reported = await until('deployment', 'two replicas', (now) =>
      Boolean(manifestOf(now)?.statusFeedback?.values?.some(({ name }) => name === 'Replicas')),
    );
    expect(manifestOf(reported)?.statusFeedback?.values).toContainEqual({
      name: 'Replicas',
      fieldValue: { type: 'Integer', integer: 2 },
    });
  });

  it('a rule in CEL is a condition of the manifest and of the work, and follows the object', async () => {
    const { managed, create, synced, until } = world();
    const rule = {
      type: 'CEL' as const,
      condition: 'Enabled',
      celExpressions: ['object.data.enabled == "yes"'],
      messageExpression: '"enabled is " + object.data.enabled',
    };
    const manifestConfigs = [
      configOf('configmaps', 'ruled', { conditionRules: [rule], updateStrategy: { type: 'CreateOnly' as const } }),
    ];
    await synced(await create('ruled', [configMap('ruled', { enabled: 'no' })], { manifestConfigs }));
    const before = await until('ruled', 'Enabled False', (work) => workCondition(work, 'Enabled') === 'False');
    expect(findCondition(manifestOf(before)?.conditions, 'Enabled')).toMatchObject({
      reason: 'ConditionRuleEvaluated',
      message: 'enabled is no',
    });
    const maps = managed.resource(configMaps);
    await maps.patch('default/ruled', { type: 'merge', body: { data: { enabled: 'yes' } } });
    await until('ruled', 'Enabled True', (work) => workCondition(work, 'Enabled') === 'True');
  });

  it('a job that is complete completes its work, which is then left as it is', async () => {
    const { managed, create, until, onManaged } = world();
    const conditionRules = [{ type: 'WellKnownConditions' as const, condition: 'Complete' }];
    const createJob = (work: string, name: string) => {
      const job = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { namespace: 'default', name, labels: { written: 'by-the-work' } },
        spec: { suspend: true, template: template(name, 'Never') },
      };
      const updateStrategy = { type: 'ServerSideApply' as const, serverSideApply: { force: true } };
      const config = { conditionRules, updateStrategy };
      return create(work, [job], { manifestConfigs: [configOf('jobs', name, config, 'batch')] });
    };
    await createJob('job', 'once');
    await createJob('other-job', 'ever');
    await until('other-job', 'not complete', (work) => workCondition(work, 'Complete') === 'False');
    await until('job', 'not complete', (work) => workCondition(work, 'Complete') === 'False');
    const now = new Date().toISOString();
    const conditions = [
      { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: now, lastProbeTime: now },
      { type: 'Complete', status: 'True', lastTransitionTime: now, lastProbeTime: now },
    ];
    await managed.resource(jobs).status.patch('default/once', {
      type: 'merge',
      body: { status: { conditions, startTime: now, completionTime: now, succeeded: 1 } },
    });
    await until('job', 'complete', (work) => workCondition(work, 'Complete') === 'True');
    // Both are edited; of the job that goes on the edit is undone, and by then the one of the complete job has been seen too.
    const edit = { metadata: { labels: { written: 'by-another' } } };
    await managed.resource(jobs).patch('default/once', { type: 'merge', body: edit });
    const { metadata: edited } = await managed.resource(jobs).patch('default/ever', { type: 'merge', body: edit });
    await onManaged.until(
      jobs,
      'the edit of the other job undone',
      ({ metadata }) =>
        metadata?.name === 'ever' &&
        metadata.labels?.written === 'by-the-work' &&
        metadata.resourceVersion !== edited?.resourceVersion,
    );
    expect((await managed.resource(jobs).get('default/once')).metadata).toMatchObject({
      labels: { written: 'by-another' },
      ownerReferences: [expect.objectContaining({ kind: 'AppliedManifestWork' })],
    });
  });
});
