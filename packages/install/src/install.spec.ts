import { readFileSync } from 'node:fs';
import { managedClusters, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError, realClock } from '@flotilla/kube';
import { customResourceDefinitions, namespaces, serviceAccounts } from '@flotilla/kube/kinds';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installHub } from '../examples/install-a-hub.ts';
import {
  applyObjects,
  type Owner,
  type Removal,
  removeHub,
  removeObjects,
  removeWebhooks,
  WaitTimeoutError,
} from './index.ts';
import { namespace } from './objects/namespace.ts';

const owner: Owner = { labels: { 'app.kubernetes.io/managed-by': 'my-installer' }, fieldManager: 'my-installer' };

let plane: ControlPlane;
let removed: string[];
let notes: string[];

beforeEach(async () => {
  plane = await startControlPlane({ listen: false });
  removed = [];
  notes = [];
});
afterEach(() => plane.stop());

const removal = (more: Partial<Removal> = {}): Removal => ({
  client: plane.client,
  owner,
  clock: realClock,
  signal: new AbortController().signal,
  dryRun: false,
  force: false,
  timeoutMs: 10_000,
  reporter: {
    removed: (what) => void removed.push(what),
    left: () => {},
    pending: () => {},
    note: (message) => void notes.push(message),
  },
  ...more,
});

describe('a hub that is installed', () => {
  it('by the example of the README serves ManagedClusters, also when it is installed twice, and is removed again', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const example = readFileSync(new URL('../examples/install-a-hub.ts', import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    await installHub(plane.client, []);
    await installHub(plane.client, []);
    expect((await plane.client.resource(managedClusters).list()).items).toEqual([]);
    await removeWebhooks(removal());
    await removeHub(removal());
    expect(removed).toContain(`Namespace ${NamespaceName.Hub}`);
    expect((await plane.client.resource(customResourceDefinitions).list()).items).toEqual([]);
    const gone = plane.client.resource(managedClusters).list();
    await expect(gone).rejects.toSatisfy((error) => KubeError.is(error, 'NotFound', 'UnknownKind'));
  });

  it('leaves on the cluster what was there before', async () => {
    await plane.client.resource(namespaces).create({ metadata: { name: NamespaceName.Operator } });
    await installHub(plane.client, []);
    await removeHub(removal());
    const kept = await plane.client.resource(namespaces).get(NamespaceName.Operator);
    expect(kept.metadata?.labels).not.toMatchObject(owner.labels);
    const account = `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`;
    expect(await plane.client.resource(serviceAccounts).find(account)).toBeUndefined();
  });

  it('is not touched by the removal of another owner', async () => {
    await installHub(plane.client, []);
    await removeHub(removal({ owner: { labels: { 'app.kubernetes.io/managed-by': 'other' }, fieldManager: 'other' } }));
    expect(removed).toEqual([]);
    expect((await plane.client.resource(managedClusters).list()).items).toEqual([]);
  });

  it('is only listed in a dry run', async () => {
    await installHub(plane.client, []);
    await removeHub(removal({ dryRun: true }));
    expect(removed.length).toBeGreaterThan(20);
    expect((await plane.client.resource(managedClusters).list()).items).toEqual([]);
  });
});

describe('an object that is held by a finalizer', () => {
  const held = (finalizer: string) => ({ ...namespace('held'), metadata: { name: 'held', finalizers: [finalizer] } });
  const apply = (finalizer: string) => applyObjects(plane.client, [held(finalizer)], { owner, clock: realClock });

  it('is waited for, and the error says what holds it', async () => {
    await apply('open-cluster-management.io/hub');
    const removing = removeObjects(removal({ timeoutMs: 0, forceHint: 'Use --force.' }), [[namespace('held')]]);
    await expect(removing).rejects.toThrow(
      'waiting for Namespace held to go: it is held by open-cluster-management.io/hub',
    );
    await expect(removing).rejects.toMatchObject({
      hint: expect.stringMatching(/kubectl get Namespace held.*Use --force\./),
    });
  });

  it('is released by force if the finalizer is of Open Cluster Management', async () => {
    await apply('open-cluster-management.io/hub');
    await removeObjects(removal({ timeoutMs: 100, force: true }), [[namespace('held')]]);
    expect(removed).toEqual(['Namespace held']);
    expect(notes).toEqual([expect.stringContaining('Namespace held was held by a program that did not answer')]);
  });

  it('stays, also by force, if the finalizer is of another program', async () => {
    await apply('example.com/backup');
    const removing = removeObjects(removal({ timeoutMs: 100, force: true }), [[namespace('held')]]);
    await expect(removing).rejects.toThrow(WaitTimeoutError);
    const kept = await plane.client.resource(namespaces).get('held');
    expect(kept.metadata?.finalizers).toEqual(['example.com/backup']);
  });
});
