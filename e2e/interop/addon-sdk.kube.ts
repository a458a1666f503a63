import { config, defineAddon, health, hook, kubeClient, runAddons, specHash } from '@flotilla/addon-sdk';
import {
  addOnDeploymentConfigs,
  clusterManagementAddOns,
  type ManagedClusterAddOn,
  managedClusterAddOns,
} from '@flotilla/api-types';
import { findCondition, isConditionTrue, realClock, silentLogger } from '@flotilla/kube';
import { configMaps, deployments, jobs, namespaces, secrets } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deploy, type Server, startServer } from '../registration/servers.ts';
import { type Watching, watching } from '../registration/watching.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';

const installNamespace = 'open-cluster-management-agent-addon';
const labels = { app: 'probe' };
const containers = [{ name: 'agent', image: 'agent' }];

/** An add-on with all that its hub and agents have to do for it. */
const probe = defineAddon({
  name: 'probe',
  configs: { deploy: config.deployment() },
  registration: [
    kubeClient({
      permissions: (p) =>
        p.inClusterNamespace([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]),
    }),
  ],
  health: health.workloads(),
  render: ({ installNamespace: namespace, variables }) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'settings' }, data: { ...variables() } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name: 'agent' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    },
    hook.preDelete({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace, name: 'clean' },
      spec: { template: { spec: { restartPolicy: 'Never', containers } } },
    }),
  ],
});

const settings = { namespace: 'default', name: 'settings' };
const variables = (value: string) => ({ customizedVariables: [{ name: 'LEVEL', value }] });

describe('an add-on of our SDK on OCM’s hub and agents', () => {
  const cleanup = new AsyncDisposableStack();
  let fleet: InteropFleet;
  let server: Server;
  let managed: Watching;
  beforeAll(async () => {
    fleet = cleanup.use(await startInteropFleet());
    await fleet.startOcmHub();
    await fleet.startOcm('addon', fleet.hub, ['manager', '--namespace=open-cluster-management-hub']);
    server = cleanup.use(await startServer('embedded'));
    managed = cleanup.use(watching(server.client));
    // Else the operator makes it.
    await server.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    const cluster = await fleet.newCluster(server);
    await deploy(server, 'singleton', ['work-payloads.yaml']);
    await fleet.startOcmAgent(cluster, 'edge', 'registration-operator');
    await fleet.accept('edge');
    const end = new AbortController();
    const running = runAddons({ client: fleet.hub.client, addons: [probe], signal: end.signal, log: silentLogger });
    cleanup.defer(async () => {
      end.abort();
      await running;
    });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => cleanup.disposeAsync());

  const addonUntil = (what: string, isSo: (addon: ManagedClusterAddOn) => boolean) =>
    fleet.admin.seen.until(managedClusterAddOns, what, (addon) => addon.metadata?.name === 'probe' && isSo(addon));
  const isTrue = (type: string) => (addon: ManagedClusterAddOn) => isConditionTrue(addon.status?.conditions, type);

  it('is deployed with its configuration, gets access to the hub, and is available', async () => {
    const { client } = fleet.hub;
    const created = await client.resource(addOnDeploymentConfigs).create({ metadata: settings, spec: variables('1') });
    const { group, plural: resource } = addOnDeploymentConfigs;
    const spec = { defaultConfigs: [{ group, resource, ...settings }] };
    await client.resource(clusterManagementAddOns).create({ metadata: { name: 'probe' }, spec });
    await client.resource(managedClusterAddOns).create({ metadata: { namespace: 'edge', name: 'probe' }, spec: {} });
    await managed.until(configMaps, 'the configuration', ({ data }) => data?.LEVEL === '1');
    await managed.until(
      secrets,
      'the credentials',
      ({ metadata, data }) => metadata?.name === 'probe-hub-kubeconfig' && 'tls.crt' in (data ?? {}),
    );
    await managed.until(deployments, 'the agent', ({ metadata }) => metadata?.name === 'agent');
    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await server.client
      .resource(deployments)
      .status.patch(`${installNamespace}/agent`, { type: 'merge', body: { status } });
    const available = await addonUntil('Available', isTrue('Available'));
    expect(findCondition(available.status?.conditions, 'RegistrationApplied')).toMatchObject({ status: 'True' });
    const completed = await addonUntil(
      'the end of the rollout',
      ({ status: found }) => findCondition(found?.conditions, 'Progressing')?.reason === 'Completed',
    );
    expect(completed.status?.configReferences?.[0]?.lastAppliedConfig?.specHash).toBe(specHash(created));
  });

  it('follows a change of its configuration', async () => {
    await fleet.hub.client
      .resource(addOnDeploymentConfigs)
      .patch('default/settings', { type: 'merge', body: { spec: variables('2') } });
    await managed.until(configMaps, 'the new configuration', ({ data }) => data?.LEVEL === '2');
  });

  it('runs a hook that failed again, and goes when it has succeeded', async () => {
    const { client } = fleet.hub;
    await client.resource(managedClusterAddOns).delete('edge/probe');
    const handle = server.client.resource(jobs);
    const end = async (type: string, not?: string) => {
      const job = await managed.until(
        jobs,
        `a Job to be ${type}`,
        ({ metadata }) => metadata?.name === 'clean' && metadata.uid !== not,
      );
      const time = formatTime(realClock.now());
      const said = { status: 'True', reason: 'Test', message: '', lastTransitionTime: time };
      const target = type === 'Failed' ? 'FailureTarget' : 'SuccessCriteriaMet';
      const conditions = [target, type].map((each) => ({ type: each, ...said }));
      const ended = type === 'Failed' ? {} : { completionTime: time, succeeded: 1 };
      const status = { startTime: time, conditions, ...ended };
      await handle.status.patch(`${installNamespace}/clean`, { type: 'merge', body: { status } });
      return job.metadata?.uid;
    };
    const first = await end('Failed');
    await addonUntil(
      'the failure',
      ({ status }) =>
        findCondition(status?.conditions, 'HookManifestCompleted')?.message.includes('failed once') === true,
    );
    await end('Complete', first);
    await fleet.admin.seen.gone(managedClusterAddOns, 'edge/probe');
    await managed.gone(deployments, `${installNamespace}/agent`);
  });
});
