import { findCondition } from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { rollOut } from '../fixtures/agents.ts';
import { putSecret } from '../fixtures/kubeconfigs.ts';
import { type RunningOperator, startOperator } from '../fixtures/running-operator.ts';

const conditions = async (operator: RunningOperator) => {
  const { status } = await operator.klusterlet();
  const of = (type: string) => {
    const found = findCondition(status?.conditions, type);
    return `${found?.status} ${found?.reason}`;
  };
  return [of('Available'), of('RegistrationDesiredDegraded'), of('WorkDesiredDegraded')];
};

describe('the conditions of agents', () => {
  it('[cli D14] follow the pods that are available', async () => {
    await using operator = await startOperator({ replicas: 3 });
    await operator.create();
    await putSecret(operator, 'open-cluster-management-agent/hub-kubeconfig-secret', { 'cluster-name': 'cluster1' });
    expect(await conditions(operator)).toEqual([
      'False NoAvailablePods',
      'True UnavailablePods',
      'True UnavailablePods',
    ]);
    await rollOut(operator, () => 1);
    expect(await conditions(operator)).toEqual([
      'True KlusterletAvailable',
      'True UnavailablePods',
      'True UnavailablePods',
    ]);
    await rollOut(operator);
    expect(await conditions(operator)).toEqual([
      'True KlusterletAvailable',
      'False DeploymentsFunctional',
      'False DeploymentsFunctional',
    ]);
    const { status } = await operator.klusterlet();
    expect(findCondition(status?.conditions, 'WorkDesiredDegraded')?.message).toBe(
      'deployments replicas are desired: 3',
    );
  });

  it('say that a work agent without credentials is not degraded, but not available either', async () => {
    await using operator = await startOperator();
    await operator.create();
    await rollOut(operator);
    expect(await conditions(operator)).toEqual([
      'False NoAvailablePods',
      'False DeploymentsFunctional',
      'False DeploymentsFunctional',
    ]);
  });

  it('say that there is no Deployment', async () => {
    await using operator = await startOperator();
    await operator.create({});
    expect(await conditions(operator)).toEqual([
      'False GetDeploymentFailed',
      'True UnavailablePods',
      'True GetDeploymentFailed',
    ]);
    expect((await operator.plane.client.resource(deployments).list()).items).toHaveLength(1);
  });

  it('are about one Deployment in the mode Singleton', async () => {
    await using operator = await startOperator();
    await operator.create({ clusterName: 'c1', deployOption: { mode: 'Singleton' } });
    await rollOut(operator);
    expect(await conditions(operator)).toEqual([
      'True KlusterletAvailable',
      'False DeploymentsFunctional',
      'False DeploymentsFunctional',
    ]);
  });
});
