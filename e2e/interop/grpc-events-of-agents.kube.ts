import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusterAddOns, manifestWorks } from '@flotilla/api-types';
import { Broker, type CloudEvent, dataText } from '@flotilla/cloudevents';
import { clusterRoleBindings, namespaces, serviceAccounts } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Cluster } from '../registration/fleet.ts';
import { deploy, type Server, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { workCondition } from '../work/work-world.ts';
import { type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';
import { comparable } from './recorded-events.ts';

/** Clusters of the same length, so that nothing differs by that. */
const names = { OCM: 'agents-of-theirs', ours: 'agents-of-oursss' } as const;
type AgentName = keyof typeof names;

describe.each(['csr', 'token'] as const)(
  "what our agents publish, field by field as OCM's do, with %s for add-ons",
  (addonAuth) => {
    const addonFlag = `--addon-kubeclient-registration-auth=${addonAuth}`;
    let fleet: GrpcFleet;
    let directory: string;
    const managed: Server[] = [];
    const published: CloudEvent[] = [];
    /** The events of the agents of one kind, whose type ends so. */
    const eventsOf = (agents: AgentName, suffix: string) =>
      published.filter(({ type, extensions }) => type.endsWith(suffix) && extensions.clustername === names[agents]);
    /** The newest event of each kind of agents that is as a check says, made comparable: theirs, ours. */
    const both = async (suffix: string, isIt: (event: CloudEvent) => boolean = () => true) => {
      const agents = ['OCM', 'ours'] as const;
      const newest = (each: AgentName) => eventsOf(each, suffix).findLast(isIt);
      await expect
        .poll(() => agents.map((each) => newest(each) !== undefined), { timeout: 60_000 })
        .toEqual([true, true]);
      return agents.map((each) => comparable(newest(each) as CloudEvent, names[each]));
    };

    beforeAll(async () => {
      const publish = Broker.prototype.publish;
      vi.spyOn(Broker.prototype, 'publish').mockImplementation(function (this: Broker<unknown>, ...given) {
        published.push(given[0]);
        return publish.call(this, ...given);
      });
      fleet = await startGrpcFleet();
      await fleet.startOcmGrpcHub();
      await fleet.startGrpcServer();
      directory = await mkdtemp(join(tmpdir(), 'flotilla-grpc-events-'));
      const newCluster = async () => {
        const server = await startServer('embedded');
        managed.push(server);
        const cluster = await fleet.newCluster(server);
        await deploy(server, 'singleton', ['work-payloads.yaml']);
        return cluster;
      };
      const theirs = await newCluster();
      const { identity } = await fleet.startOcmGrpcAgent(theirs, names.OCM, [addonFlag]);
      await startOurs(await newCluster());
      for (const name of Object.values(names)) {
        await fleet.accept(name);
        await fleet.beatsOn(name);
      }
      await fleet.startOcmGrpcWorkAgent(theirs, names.OCM, identity);
    }, 200_000);
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') console.error(fleet.logs());
    });
    afterAll(async () => {
      vi.restoreAllMocks();
      await fleet?.[Symbol.asyncDispose]();
      for (const server of managed) await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });

    async function startOurs(cluster: Cluster): Promise<void> {
      const { server, ca = '', authorization = '' } = fleet.bootstrapAccess();
      const config = {
        url: server.replace('https://', ''),
        caData: btoa(ca),
        token: authorization.replace('Bearer ', ''),
      };
      await writeFile(join(directory, 'bootstrap.yaml'), stringify(config));
      const identity = join(directory, 'hub-kubeconfig');
      cluster.startAgent(names.ours, {
        app: 'singleton',
        flags: [
          '--registration-auth=grpc',
          // Without it, ours gives add-ons the connection of the agent.
          addonFlag,
          `--grpc-bootstrap-config=${join(directory, 'bootstrap.yaml')}`,
          `--grpc-config=${join(identity, 'config.yaml')}`,
          `--hub-kubeconfig-dir=${identity}`,
        ],
      });
    }

    it('the request to join', async () => {
      const [theirs, ours] = await both('managedclusters.spec.create_request');
      expect(ours).toEqual(theirs);
    });

    it('the request for a certificate', async () => {
      const [theirs, ours] = await both('certificatesigningrequests.spec.create_request');
      expect(ours).toEqual(theirs);
    });

    it('the status of the cluster', async () => {
      // Agents may report that they joined ahead of the rest.
      const isWhole = (event: CloudEvent) =>
        ['ManagedClusterJoined', 'ManagedClusterConditionAvailable'].every((type) => dataText(event).includes(type));
      const [theirs, ours] = await both('managedclusters.status.update_request', isWhole);
      expect(withoutClock(ours)).toEqual(withoutClock(theirs));
    });

    it('the heartbeat', async () => {
      const [theirs, ours] = await both('leases.spec.update_request');
      expect(ours).toEqual(theirs);
    });

    /** An add-on of each cluster that wants to reach the hub. */
    async function enableAddOns(): Promise<void> {
      const addons = fleet.hub.client.resource(managedClusterAddOns);
      for (const { client } of managed) {
        await client.resource(namespaces).create({ metadata: { name: 'open-cluster-management-agent-addon' } });
      }
      for (const namespace of Object.values(names)) {
        await addons.create({ metadata: { namespace, name: 'probe' }, spec: {} });
        const user = addonAuth === 'csr' ? `probe-of-${namespace}` : `system:serviceaccount:${namespace}:probe-agent`;
        const subject = { user, groups: ['probes'] };
        const registrations = [{ type: 'kubeClient' as const, kubeClient: { driver: addonAuth, subject } }];
        await addons.status.patch(`${namespace}/probe`, { type: 'merge', body: { status: { registrations } } });
      }
    }

    it.runIf(addonAuth === 'token')('the request for the token of an add-on', { timeout: 120_000 }, async () => {
      // What an agent may do is not what is compared here.
      await fleet.hub.client.resource(clusterRoleBindings).create({
        metadata: { name: 'agents' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: Object.values(names).map((name) => ({
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'Group',
          name: `system:open-cluster-management:${name}`,
        })),
      });
      await enableAddOns();
      const addons = fleet.hub.client.resource(managedClusterAddOns);
      for (const namespace of Object.values(names)) {
        const metadata = { namespace, name: 'probe-agent' };
        const account = await fleet.hub.client.resource(serviceAccounts).create({ metadata });
        const type = 'TokenInfrastructureReady';
        const message = `ServiceAccount ${namespace}/probe-agent (UID: ${account.metadata?.uid}) is ready`;
        const condition = { type, status: 'True', reason: type, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
        const ready = [{ op: 'add' as const, path: '/status/conditions', value: [condition] }];
        await addons.status.patch(`${namespace}/probe`, { type: 'json', body: ready });
      }
      const [theirs, ours] = await both('tokenrequests.spec.create_request');
      expect(ours).toEqual(theirs);
    });

    const title = 'the request for the certificate of an add-on, and the report on it';
    it.runIf(addonAuth === 'csr')(title, { timeout: 120_000 }, async () => {
      await enableAddOns();
      const isOfAddOn = (event: CloudEvent) =>
        dataText(event).includes('"open-cluster-management.io/addon-name":"probe"');
      const requests = await both('certificatesigningrequests.spec.create_request', isOfAddOn);
      expect(requests[1]).toEqual(requests[0]);
      for (const name of Object.values(names)) await fleet.admin.approve(name);
      const isReport = (event: CloudEvent) => dataText(event).includes('ClusterCertificateRotated');
      const reports = await both('managedclusteraddons.status.update_request', isReport);
      // OCM v1.2.1 speaks v1alpha1 of add-ons, and v1.3 v1beta1, which have the conditions in common.
      const [theirs, ours] = reports.map(({ type, data, ...event }) => ({
        ...event,
        type: type.replace('.v1beta1.', '.v1alpha1.'),
        rotated: conditionsOf((data as { status?: unknown }).status).find(
          (each) => each.type === 'ClusterCertificateRotated',
        ),
      }));
      expect(ours).toEqual(theirs);
    });

    it.each(['managedclusters', 'certificatesigningrequests', 'leases', 'manifestbundles'])(
      'the request for a resync of %s',
      async (resource) => {
        const [theirs, ours] = await both(`${resource}.spec.resync_request`, (event) =>
          dataText(event).includes('"resourceVersions":[]'),
        );
        expect(ours).toEqual(theirs);
      },
    );

    it('the Event that a cluster is available', async () => {
      const events = await both('events.k8s.io.v1.events.spec.create_request', (event) =>
        dataText(event).includes('"Available"'),
      );
      const [theirs, ours] = events.map(withoutMoment);
      expect(ours).toEqual(theirs);
    });

    it('the reports on a work that is applied, and removed', { timeout: 120_000 }, async () => {
      const works = fleet.hub.client.resource(manifestWorks);
      for (const namespace of Object.values(names)) {
        await works.create({
          metadata: { namespace, name: 'w' },
          spec: { workload: { manifests: [configMap('cm')] } },
        });
        await fleet.admin.seen.until(
          manifestWorks,
          `the work of ${namespace} to be available`,
          (work) =>
            work.metadata?.namespace === namespace &&
            ['Applied', 'Available'].every((type) => workCondition(work, type) === 'True'),
        );
      }
      const suffix = 'manifestbundles.status.update_request';
      const [theirs, ours] = await both(suffix, (event) => dataText(event).includes('"Available"'));
      expect(ours).toEqual(theirs);
      for (const namespace of Object.values(names)) {
        await works.delete(`${namespace}/w`);
        await fleet.admin.seen.gone(manifestWorks, `${namespace}/w`);
      }
      const last = await both(suffix, (event) => dataText(event).includes('"Deleted"'));
      // What else the agents know of a work that is being removed is a matter of their work controllers.
      const [theirLast, ourLast] = last.map(({ data, extensions, ...event }) => ({
        ...event,
        deleted: conditionsOf(data).find(({ type }) => type === 'Deleted'),
        extensions: { ...extensions, metadata: { ...(extensions.metadata as object), deletionGracePeriodSeconds: 0 } },
      }));
      expect(ourLast).toEqual(theirLast);
    });
  },
);

const conditionsOf = (data: unknown): readonly { readonly type: string }[] =>
  (data as { conditions?: { type: string }[] }).conditions ?? [];

/** The hub adds this condition, before or after an agent writes. */
const withoutClock = (event: unknown): unknown =>
  JSON.parse(JSON.stringify(event), (_, value) =>
    Array.isArray(value) ? value.filter((item) => item?.type !== 'ManagedClusterConditionClockSynced') : value,
  );

/** An Event is called by the time when it happened; the reporting instance is called by its pod, which ours have none of here. */
const withoutMoment = (event: unknown): unknown =>
  JSON.parse(JSON.stringify(event), (key, value) =>
    ['eventTime', 'reportingInstance', 'uid', 'resourceVersion'].includes(key)
      ? undefined
      : typeof value === 'string'
        ? value.replace(/^NAME\.[0-9a-f]{16}$/, 'NAME.TIME')
        : value,
  );
