import { clusterManagementAddOns, NamespaceName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import {
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  namespaces,
  secrets,
  serviceAccounts,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { ResourceType } from '@flotilla/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

const hubNamespace = NamespaceName.Hub;
const isApplied = 'True ClusterManagerApplied';

let fixture: HubFixture;
let client: KubeClient;
const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);

const namesOf = async (type: ResourceType, namespace?: string): Promise<string[]> =>
  (await client.resource(type).list(namespace ? { namespace } : {})).items.map(({ metadata }) => metadata?.name ?? '');
const has = async (type: ResourceType, key: string) => (await client.resource(type).find(key)) !== undefined;
const webhooks = async () => [
  ...(await namesOf(mutatingWebhookConfigurations)),
  ...(await namesOf(validatingWebhookConfigurations)),
];

describe('a ClusterManager with labels', () => {
  it('gives them to its objects with --enable-sync-labels', async () => {
    await using labelled = await startHubFixture({ syncLabels: true });
    await labelled.apply({}, { labels: { app: 'x', team: 'fleet', 'open-cluster-management.io/x': 'y' } });
    await until(async () => (await labelled.deployment('work-webhook'))?.metadata?.labels).toEqual({
      app: 'cluster-manager-work-webhook',
      team: 'fleet',
      'open-cluster-management.io/created-by-clustermanager': 'cluster-manager',
    });
  });
});

describe('a hub whose pods are not ready', () => {
  beforeEach(async () => {
    fixture = await startHubFixture({}, { simulate: false });
    client = fixture.plane.client;
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  /** As a kubelet reports them. */
  async function setReady(suffix: string, ready: number, updated = ready): Promise<void> {
    const key = `${hubNamespace}/cluster-manager-${suffix}`;
    const { metadata } = await client.resource(deployments).get(key);
    const status = {
      observedGeneration: metadata?.generation,
      replicas: 1,
      readyReplicas: ready,
      updatedReplicas: updated,
      availableReplicas: ready,
    };
    await client.resource(deployments).status.patch(key, { type: 'merge', body: { status } });
  }

  it('[cli C02] locks nobody out: a webhook is configured once a pod answers, and stays when it goes', async () => {
    await fixture.apply({});
    await until(() => fixture.condition('Progressing')).toBe('True ClusterManagerDeploymentRolling');
    await until(() => fixture.condition('Applied')).toBe('False WebhooksPending');
    expect(await webhooks()).toEqual([]);
    await setReady('work-webhook', 1);
    await until(webhooks).toEqual([
      'manifestworkreplicasetvalidators.admission.work.open-cluster-management.io',
      'manifestworkvalidators.admission.work.open-cluster-management.io',
    ]);
    await setReady('registration-webhook', 1);
    await setReady('addon-webhook', 1);
    await until(() => fixture.condition('Applied')).toBe(isApplied);
    expect((await webhooks()).length).toBe(6);
    await setReady('work-webhook', 0);
    await until(() => fixture.condition('HubWorkDegraded')).toBe('True UnavailableWorkPod');
    expect((await webhooks()).length).toBe(6);
  });

  it('asks pods of an earlier release nothing that they do not know', async () => {
    await fixture.apply({});
    await until(() => fixture.condition('Applied')).toBe('False WebhooksPending');
    await setReady('work-webhook', 1, 0);
    await until(webhooks).toEqual(['manifestworkvalidators.admission.work.open-cluster-management.io']);
    await setReady('work-webhook', 1);
    await until(webhooks).toContain('manifestworkreplicasetvalidators.admission.work.open-cluster-management.io');
    // The next rollout does not open it again.
    await setReady('work-webhook', 1, 0);
    await setReady('registration-webhook', 1);
    await until(webhooks).toContain('managedclustervalidators.admission.cluster.open-cluster-management.io');
    expect(await webhooks()).toContain('manifestworkreplicasetvalidators.admission.work.open-cluster-management.io');
  });

  it('[cli C33] stores add-ons in the version of OCM once they are converted, and says if that fails', async () => {
    await fixture.apply({});
    await until(() => fixture.condition('MigrationSucceeded')).toBe('True StorageVersionMigrationSucceed');
    const [empty, full] = ['managedclusteraddons', 'clustermanagementaddons'].map(
      (plural) => `${plural}.addon.open-cluster-management.io`,
    );
    await client.resource(clusterManagementAddOns).create({ metadata: { name: 'search' }, spec: {} });
    await setReady('addon-webhook', 1);
    // Nobody converts here: the object of the one kind cannot be read, and the other kind has none.
    await until(() => fixture.condition('MigrationSucceeded')).toBe('False StorageVersionMigrationFailed');
    expect(await fixture.message('MigrationSucceeded')).toContain(full);
    const { status } = await client.resource(customResourceDefinitions).get(empty ?? '');
    expect(status?.storedVersions).toEqual(['v1alpha1']);
  });

  it('[cli C18] is degraded by part, and says which pods are missing', async () => {
    await fixture.apply({});
    await until(() => fixture.condition('HubRegistrationDegraded')).toBe('True UnavailableRegistrationPod');
    expect(await fixture.message('HubRegistrationDegraded')).toContain(
      '1 of 1 pods of cluster-manager-registration-controller',
    );
    await setReady('registration-controller', 1);
    await setReady('registration-webhook', 1);
    await until(() => fixture.condition('HubRegistrationDegraded')).toBe('False RegistrationFunctional');
    expect(await fixture.condition('HubPlacementDegraded')).toBe('True UnavailablePlacementPod');
  });

  it('has an operator that goes on wherever the one before it ended', async () => {
    await client.resource(namespaces).create({ metadata: { name: hubNamespace } });
    await fixture.apply({});
    for (const look of [
      () => has(secrets, `${hubNamespace}/signer-secret`),
      () => has(customResourceDefinitions, 'placements.cluster.open-cluster-management.io'),
      () => has(serviceAccounts, `${hubNamespace}/work-webhook-sa`),
      () => has(deployments, `${hubNamespace}/cluster-manager-work-webhook`),
    ]) {
      await until(look).toBe(true);
      await fixture.restart();
    }
    for (const suffix of ['registration-webhook', 'work-webhook', 'addon-webhook']) {
      await until(async () => (await fixture.deployment(suffix)) !== undefined).toBe(true);
      await setReady(suffix, 1);
      await fixture.restart();
    }
    await until(() => fixture.condition('Applied')).toBe(isApplied);
  });
});
