import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterManagers, NamespaceName } from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import { clusterManagerDefinitions } from '@flotilla/install/chart';
import { customResourceDefinitions, deployments, namespaces, services } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Program, startExecutable, startProgram, tail } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';

const patience = { timeout: 90_000, interval: 200 };
const images = 'quay.io/open-cluster-management';

describe('one ClusterManager and the operators of OCM and of Flotilla in turn', () => {
  let server: Server;
  let directory: string;
  let kubeconfig: string;
  let program: Program | undefined;
  beforeAll(async () => {
    server = await startServer('kube-apiserver', { crds: await clusterManagerDefinitions() });
    directory = await mkdtemp(join(tmpdir(), 'flotilla-operators-'));
    kubeconfig = join(directory, 'admin.yaml');
    await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
    await server.client.resource(namespaces).create({ metadata: { name: NamespaceName.Operator } });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail' && program) console.error(tail(program));
  });
  afterAll(async () => {
    await program?.end('SIGKILL');
    await server?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const flags = () => [
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${NamespaceName.Operator}`,
    '--disable-leader-election',
  ];
  const ofOcm = async () => {
    await program?.end();
    const { 'registration-operator': file } = await ocmPrograms();
    const env = { POD_NAME: 'operator', AGENT_IMAGE: `${images}/registration-operator:v1.2.1` };
    program = startExecutable(file, ['hub', ...flags(), `--listen=127.0.0.1:${await findFreePort()}`], { env });
  };
  const ours = async () => {
    await program?.end();
    program = startProgram('operator', ['hub', ...flags()]);
  };

  const identities = async (type: ResourceType<KubeObject>): Promise<Record<string, string>> => {
    const { items } = await server.client.resource(type).list({ namespace: NamespaceName.Hub });
    return Object.fromEntries(items.map(({ metadata }) => [metadata?.name ?? '', metadata?.uid ?? '']));
  };
  const applied = async (): Promise<string> => {
    const { metadata, status } = (await server.client.resource(clusterManagers).find('cluster-manager')) ?? {};
    const { reason, message } = status?.conditions?.find(({ type }) => type === 'Applied') ?? {};
    const isCurrent = status?.observedGeneration === metadata?.generation;
    return isCurrent ? `${reason}` : `not yet observed: ${reason} ${message}`;
  };
  const argsOf = async (suffix: string): Promise<readonly string[]> => {
    const key = `${NamespaceName.Hub}/cluster-manager-${suffix}`;
    return (await server.client.resource(deployments).find(key))?.spec?.template.spec?.containers[0]?.args ?? [];
  };

  it('keep the same Deployments, services and definitions', { timeout: 300_000 }, async () => {
    await ofOcm();
    await server.client.resource(clusterManagers).create({
      metadata: { name: 'cluster-manager' },
      spec: {
        registrationImagePullSpec: `${images}/registration:v1.2.1`,
        workImagePullSpec: `${images}/work:v1.2.1`,
        placementImagePullSpec: `${images}/placement:v1.2.1`,
        addOnManagerImagePullSpec: `${images}/addon-manager:v1.2.1`,
      },
    });
    await expect.poll(applied, patience).toBe('ClusterManagerApplied');
    const before = { programs: await identities(deployments), services: await identities(services) };
    expect(Object.keys(before.programs).length).toBeGreaterThanOrEqual(5);

    await ours();
    // No node runs pods here, so webhooks wait.
    await expect.poll(applied, patience).toBe('WebhooksPending');
    expect(await identities(deployments)).toMatchObject(before.programs);
    expect(await identities(services)).toMatchObject(before.services);
    expect((await argsOf('registration-controller')).slice(0, 2)).toEqual(['/registration', 'controller']);
    const patch = { spec: { registrationImagePullSpec: 'flotilla/hub:v1' } };
    await server.client.resource(clusterManagers).patch('cluster-manager', { type: 'merge', body: patch });
    await expect.poll(() => argsOf('registration-controller'), patience).toContain('--controllers=registration');
    const { metadata } = await server.client
      .resource(customResourceDefinitions)
      .get('managedclusters.cluster.open-cluster-management.io');
    expect(metadata?.annotations?.['operator.open-cluster-management.io/version']).toBe('1.3.1');

    const back = { spec: { registrationImagePullSpec: `${images}/registration:v1.2.1` } };
    await server.client.resource(clusterManagers).patch('cluster-manager', { type: 'merge', body: back });
    await ofOcm();
    await expect.poll(applied, patience).toBe('ClusterManagerApplied');
    expect(await identities(deployments)).toMatchObject(before.programs);
    expect((await argsOf('registration-controller')).slice(0, 2)).toEqual(['/registration', 'controller']);
  });
});
