import {
  type AddOnTemplateSpec,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  type ManifestWork,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../registration/program.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';

const group = 'addon.open-cluster-management.io';
const cluster = 'cluster1';
const work = `${cluster}/addon-hello-deploy-0`;
const role = 'hello-reader';
const apiGroup = 'rbac.authorization.k8s.io';
const labels = { app: 'hello' };

const workload = (kind: string, name: string): EmbeddedResource => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: 'own', name },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: 'hello',
        containers: [
          {
            name: 'agent',
            image: 'quay.io/acme/agent:v1',
            args: ['--message={{MESSAGE}}', '--cluster={{CLUSTER_NAME}}', '--missing={{MISSING}}'],
            env: [{ name: 'LOG_LEVEL', value: '4' }],
          },
        ],
      },
    },
  },
});

/** What OCM's manager and ours do alike: Deployments, DaemonSets, bindings, namespaces. */
const template: AddOnTemplateSpec = {
  addonName: 'hello',
  agentSpec: {
    workload: {
      manifests: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'own', name: 'hello' } },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'hello' },
          roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
          subjects: [{ kind: 'ServiceAccount', namespace: 'own', name: 'hello' }],
        },
        workload('Deployment', 'agent'),
        workload('DaemonSet', 'node-agent'),
      ],
    },
  },
  registration: [
    {
      type: 'KubeClient',
      kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: role } }] },
    },
  ],
};

const specOf = (message: string) => ({
  agentInstallNamespace: 'hello-system',
  customizedVariables: [{ name: 'MESSAGE', value: message }],
  nodePlacement: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'infra', operator: 'Exists' as const }] },
  registries: [{ source: 'quay.io/acme', mirror: 'mirror.example/acme' }],
  proxyConfig: {
    httpProxy: 'http://proxy',
    httpsProxy: 'https://proxy',
    noProxy: 'localhost',
    caBundle: Buffer.from('the CA').toString('base64'),
  },
  resourceRequirements: [
    { containerID: 'deployments:agent:agent', resources: { limits: { cpu: '1' } } },
    { containerID: 'daemonsets:*:*', resources: { requests: { memory: '64Mi' } } },
  ],
});

describe('a template add-on under OCM’s manager and ours', () => {
  let fleet: InteropFleet;
  let manager: Program | undefined;
  let isWrong = false;
  beforeAll(async () => {
    fleet = await startInteropFleet();
    const { client } = fleet.hub;
    // Registration is not the subject: the cluster is as if it had joined.
    await client.resource(namespaces).create({ metadata: { name: cluster } });
    await client.resource(managedClusters).create({ metadata: { name: cluster }, spec: { hubAcceptsClient: true } });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
    await client.resource(clusterRoles).create({ metadata: { name: role }, rules });
    await client.resource(clusterRoleBindings).create({
      metadata: { name: role },
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects: [
        { kind: 'ServiceAccount', namespace: 'open-cluster-management-hub', name: 'registration-controller-sa' },
      ],
    });
    await client.resource(addOnTemplates).create({ metadata: { name: 'hello-v1' }, spec: template });
    await client
      .resource(addOnDeploymentConfigs)
      .create({ metadata: { namespace: 'default', name: 'config' }, spec: specOf('first') });
    const defaultConfigs = [
      { group, resource: 'addontemplates', name: 'hello-v1' },
      { group, resource: 'addondeploymentconfigs', namespace: 'default', name: 'config' },
    ];
    await client.resource(clusterManagementAddOns).create({ metadata: { name: 'hello' }, spec: { defaultConfigs } });
    await client.resource(managedClusterAddOns).create({ metadata: { namespace: cluster, name: 'hello' }, spec: {} });
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet?.logs());
    await fleet?.[Symbol.asyncDispose]();
  });

  /** Ends the manager that runs, as a machine dies, and starts the other one. */
  const manageBy = async (which: 'OCM' | 'ours'): Promise<void> => {
    await manager?.end('SIGKILL');
    manager =
      which === 'OCM'
        ? await fleet.startOcm('addon', fleet.hub, ['manager', '--namespace=open-cluster-management-hub'])
        : fleet.startHub(['--controllers=addon']);
  };
  const configure = (message: string) =>
    fleet.hub.client
      .resource(addOnDeploymentConfigs)
      .patch('default/config', { type: 'merge', body: { spec: specOf(message) } });
  /** The work when it has this message. */
  const deployed = (message: string): Promise<ManifestWork> =>
    fleet.admin.seen.until(manifestWorks, `the work with the message ${message}`, (found) =>
      JSON.stringify(found.spec).includes(`--message=${message}`),
    );
  const withoutMessage = ({ spec }: ManifestWork, message: string): unknown => {
    const text = JSON.stringify(spec).replaceAll(`--message=${message}`, '');
    // Go writes fields of its types that nobody has set, the status of a template among them.
    return JSON.parse(text, (key, value) => (key === 'status' || isEmptyStrategy(key, value) ? undefined : value));
  };
  const isEmptyStrategy = (key: string, value: object): boolean =>
    (key === 'strategy' || key === 'updateStrategy') && Object.keys(value).length === 0;

  it('has the same work, which neither creates anew when it takes over', async () => {
    await manageBy('OCM');
    const first = await deployed('first');
    using changes = await fleet.admin.seen.record(manifestWorks);
    await manageBy('ours');
    await configure('second');
    const second = await deployed('second');
    expect(withoutMessage(second, 'second')).toEqual(withoutMessage(first, 'first'));
    expect(second.metadata?.labels).toEqual(first.metadata?.labels);
    expect(second.metadata?.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      first.metadata?.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
    );
    await manageBy('OCM');
    await configure('third');
    const third = await deployed('third');
    expect(withoutMessage(third, 'third')).toEqual(withoutMessage(first, 'first'));
    const uids = new Set(changes.changes.map(({ object }) => object.metadata?.uid));
    expect(uids).toEqual(new Set([first.metadata?.uid]));
    expect(changes.changes.filter(({ type }) => type !== 'updated')).toEqual([]);
    expect((await fleet.hub.client.resource(manifestWorks).get(work)).metadata?.uid).toBe(first.metadata?.uid);
  });

  it('has the same registration, and a binding for the agent of its own cluster only', async () => {
    const { client } = fleet.hub;
    const read = async () => {
      const { status } = await client.resource(managedClusterAddOns).get(`${cluster}/hello`);
      const { items } = await client.resource(roleBindings).list({ namespace: cluster });
      return {
        // Whether OCM has written the group of everybody authenticated by now is a matter of time; it is bound to nothing.
        registrations: JSON.parse(JSON.stringify(status?.registrations).replace(',"system:authenticated"', '')),
        namespace: status?.namespace,
        supported: [...(status?.supportedConfigs ?? [])].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
        bindings: items.map(({ metadata, roleRef, subjects = [] }) => ({
          name: metadata?.name,
          labels: metadata?.labels,
          roleRef,
          subjects: subjects.map(({ kind, name }) => `${kind} ${name}`).sort(),
        })),
      };
    };
    const theirs = await read();
    expect(theirs.bindings).toHaveLength(1);
    await client.resource(roleBindings).delete(`${cluster}/${theirs.bindings[0]?.name}`);
    await manageBy('ours');
    await configure('fourth');
    await deployed('fourth');
    await fleet.admin.seen.until(roleBindings, 'our binding', ({ metadata }) => metadata?.namespace === cluster);
    // OCM binds the group of the add-on on all clusters, and with it gives each agent what those of other clusters may do.
    const ownOnly = theirs.bindings.map(({ subjects, ...rest }) => ({
      ...rest,
      subjects: subjects.filter((subject) => subject !== 'Group system:open-cluster-management:addon:hello'),
    }));
    expect(ownOnly[0]?.subjects).toHaveLength(2);
    expect(await read()).toEqual({ ...theirs, bindings: ownOnly });
  });
});
