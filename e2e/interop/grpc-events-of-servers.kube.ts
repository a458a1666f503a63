import { Label, type ManifestWork, managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import {
  type CloudEvent,
  type CloudEventsClient,
  createCloudEventsClient,
  createResyncRequest,
  dataText,
  dataTypes,
  formatDataType,
} from '@flotilla/cloudevents';
import { findFreePort } from '@flotilla/envtest';
import { realClock, staticAccess } from '@flotilla/kube';
import { certificateSigningRequests, leases, namespaces } from '@flotilla/kube/kinds';
import { issueCertificate } from '@flotilla/kube/pki';
import { isRecord } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCsr } from '../envtest/csr.ts';
import { configMap } from '../work/manifests.ts';
import { type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const name = 'recorded';
const followed = [
  dataTypes.managedClusters,
  dataTypes.certificateSigningRequests,
  dataTypes.leases,
  dataTypes.manifestBundles,
  // The version of OCM v1.2.1; v1.3 has both.
  dataTypes.managedClusterAddOnsV1Alpha1,
];
/** Of an object that no hub has. */
const unknownId = '6f0c1f6e-2a51-4d0e-9d0c-0c6a2f9b1a03';
const servers = ['OCM', 'ours'] as const;
type ServerName = (typeof servers)[number];

/** What a server sent, in order. */
class Recording {
  readonly events: CloudEvent[] = [];
  readonly client: CloudEventsClient;
  constructor(client: CloudEventsClient) {
    this.client = client;
  }

  async follow(): Promise<void> {
    await Promise.all(
      followed.map(
        (dataType) =>
          new Promise<void>((onSubscribed) => {
            this.client.subscribe(
              { clusterName: name, dataType },
              { onSubscribed, onEvent: (event) => this.events.push(event) },
            );
          }),
      ),
    );
  }

  of(suffix: string): CloudEvent[] {
    return this.events.filter(({ type }) => type.endsWith(suffix));
  }
}

describe("what our gRPC server sends, field by field as OCM's does", () => {
  let fleet: GrpcFleet;
  const recordings = new Map<ServerName, Recording>();
  const recorded = (server: ServerName) => {
    const recording = recordings.get(server);
    if (!recording) throw new Error(`${server} is not recorded`);
    return recording;
  };
  beforeAll(async () => {
    fleet = await startGrpcFleet();
    const port = await findFreePort();
    await fleet.startGrpcServer(port);
    await fleet.startOcmGrpcServer();
    const group = `system:open-cluster-management:${name}`;
    // What an agent may do is not what is compared here.
    const request = { usage: 'client', name: `${group}:agent`, groups: [group, 'system:masters'] } as const;
    const clientCertificate = await issueCertificate(fleet.authority, request, realClock);
    const { authorization: _, ...access } = fleet.bootstrapAccess();
    const connect = (server: string) =>
      new Recording(createCloudEventsClient({ access: staticAccess({ ...access, server, clientCertificate }) }));
    recordings.set('OCM', connect(access.server)).set('ours', connect(`https://localhost:${port}`));
    await Promise.all([...recordings.values()].map((recording) => recording.follow()));
    await fleet.hub.client.resource(namespaces).create({ metadata: { name } });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await Promise.all([...recordings.values()].map(({ client }) => client.close()));
    await fleet?.[Symbol.asyncDispose]();
  });

  /** The newest event of each server with this end of its type, once both have one that is as a check says. */
  const both = async (suffix: string, isIt: (event: CloudEvent) => boolean = () => true) => {
    const newest = (server: ServerName) => recorded(server).of(suffix).findLast(isIt);
    await expect
      .poll(() => servers.map((server) => newest(server) !== undefined), { timeout: 30_000 })
      .toEqual([true, true]);
    return servers.map((server) => fields(newest(server)));
  };
  const versioned = (version: string | number | undefined) => (event: CloudEvent) =>
    String(event.extensions.resourceversion) === String(version);

  it('a cluster that is created and changed', async () => {
    const clusters = fleet.hub.client.resource(managedClusters);
    const spec = { hubAcceptsClient: true, managedClusterClientConfigs: [{ url: 'https://c:6443', caBundle: 'QQ==' }] };
    const created = await clusters.create({ metadata: { name }, spec });
    const [theirs, ours] = await both(
      'managedclusters.spec.create_request',
      versioned(created.metadata?.resourceVersion),
    );
    expect(ours).toEqual(theirs);
    const labelled = await clusters.patch(name, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    const changed = await both('managedclusters.spec.update_request', versioned(labelled.metadata?.resourceVersion));
    expect(changed[1]).toEqual(changed[0]);
  });

  it('a certificate request and a lease', async () => {
    const labels = { [Label.ClusterName]: name };
    const { request } = await createCsr({ name: 'x', groups: [] });
    await fleet.hub.client.resource(certificateSigningRequests).create({
      metadata: { name: `${name}-abcde`, labels },
      spec: { request: btoa(request), signerName: 'open-cluster-management.io/grpc', usages: ['client auth'] },
    });
    const [theirRequest, ourRequest] = await both('certificatesigningrequests.spec.create_request');
    expect(ourRequest).toEqual(theirRequest);
    const lease = { metadata: { name: 'managed-cluster-lease', namespace: name, labels } };
    const handle = fleet.hub.client.resource(leases);
    await handle.create({ ...lease, spec: { leaseDurationSeconds: 60, holderIdentity: 'managed-cluster-lease' } });
    const [theirLease, ourLease] = await both('leases.spec.create_request');
    expect(ourLease).toEqual(theirLease);
    await handle.delete(`${name}/managed-cluster-lease`);
    const [theirGone, ourGone] = await both('leases.spec.delete_request');
    // OCM v1.2.1 sends it as it was last, and v1.3 sends when it was deleted instead.
    const { deletiontimestamp, ...ours } = ourGone?.extensions ?? {};
    expect({ ...theirGone, data: undefined }).toEqual({ ...ourGone, extensions: ours });
    expect(deletiontimestamp).toBe(true);
  });

  it('an add-on that is created, changed and gone', async () => {
    const addons = fleet.hub.client.resource(managedClusterAddOns);
    const created = await addons.create({ metadata: { name: 'probe', namespace: name }, spec: {} });
    const first = await both('managedclusteraddons.spec.create_request', versioned(created.metadata?.resourceVersion));
    expect(first[1]).toEqual(first[0]);
    const labelled = await addons.patch(`${name}/probe`, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    const version = versioned(labelled.metadata?.resourceVersion);
    const changed = await both('managedclusteraddons.spec.update_request', version);
    expect(changed[1]).toEqual(changed[0]);
    await addons.delete(`${name}/probe`);
    const [theirGone, ourGone] = await both('managedclusteraddons.spec.delete_request');
    const { deletiontimestamp, ...ours } = ourGone?.extensions ?? {};
    expect({ ...ourGone, extensions: ours, data: undefined }).toEqual({ ...theirGone, data: undefined });
    expect(deletiontimestamp).toBe(true);
  });

  it('a work that is created, changed, deleted and gone', async () => {
    const works = fleet.hub.client.resource(manifestWorks);
    const finalizers = ['cluster.open-cluster-management.io/manifest-work-cleanup'];
    const metadata = { name: 'w', namespace: name, finalizers, labels: { l: '1' }, annotations: { a: '1' } };
    const work: ManifestWork = {
      metadata,
      spec: {
        workload: { manifests: [configMap('cm')] },
        deleteOption: { propagationPolicy: 'Orphan' },
        executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'e' } } },
        manifestConfigs: [
          {
            resourceIdentifier: { group: '', resource: 'configmaps', name: 'cm', namespace: 'default' },
            feedbackRules: [{ type: 'WellKnownStatus' }],
          },
        ],
      },
    };
    await works.create(work);
    const created = await both('manifestbundles.spec.create_request');
    expect(created[1]).toEqual(created[0]);
    const body = { spec: { workload: { manifests: [configMap('cm', { value: 'two' })] } } };
    await works.patch(`${name}/w`, { type: 'merge', body });
    const changed = await both('manifestbundles.spec.update_request', versioned(2));
    expect(changed[1]).toEqual(changed[0]);
    await works.delete(`${name}/w`);
    const deleting = await both('manifestbundles.spec.update_request', versioned(3));
    expect(deleting[1]).toEqual(deleting[0]);
    await works.patch(`${name}/w`, { type: 'merge', body: { metadata: { finalizers: [] } } });
    const gone = await both('manifestbundles.spec.delete_request');
    expect(gone[1]).toEqual(gone[0]);
  });

  // OCM v1.2.1 does not answer for leases and add-ons.
  it.each([dataTypes.managedClusters, dataTypes.certificateSigningRequests, dataTypes.manifestBundles])(
    'the answers to a resync of $resource, what is gone included',
    async (dataType) => {
      const works = fleet.hub.client.resource(manifestWorks);
      if (!(await works.find(`${name}/again`))) {
        const spec = { workload: { manifests: [configMap('again')] } };
        await works.create({ metadata: { name: 'again', namespace: name }, spec });
        await both('manifestbundles.spec.create_request', (event) => dataText(event).includes('again'));
      }
      const marks = servers.map((server) => recorded(server).events.length);
      const known = new Map([[unknownId, 1n]]);
      const origin = { source: name, now: realClock.now() };
      for (const server of servers) {
        await recorded(server).client.publish(createResyncRequest(origin, dataType, { clusterName: name, known }));
      }
      const answers = () => servers.map((server, index) => recorded(server).events.slice(marks[index]));
      const isGone = ({ extensions }: CloudEvent) => extensions.resourceid === unknownId;
      await expect
        .poll(() => answers().map((events) => events.some(isGone)), { timeout: 30_000 })
        .toEqual([true, true]);
      const [theirs = [], ours = []] = answers();
      const type = `${formatDataType(dataType)}.spec.resync_response`;
      expect(ours.map(fields)).toEqual(theirs.map((event) => fields({ ...event, type })));
    },
  );
});

/**
 * All of an event but its id and when it was made. What the API server keeps for itself is not sent by ours, on purpose. OCM v1.2.1 differs
 * from v1.3, which ours speaks: clusters and certificate requests are called by their name and not by their uid, answers to a resync have
 * other types, a deletion among them has a version for all kinds, and the metadata of a work there has its generation as its resource version.
 */
function fields(event: CloudEvent | undefined) {
  if (!event) return undefined;
  const { metadata, deletiontimestamp, resourceid, resourceversion, ...extensions } = event.extensions;
  const data = dataText(event) === '' ? undefined : plain(JSON.parse(dataText(event)));
  const { uid } = (data?.metadata ?? {}) as { uid?: string };
  const isBundle = event.type.includes('manifestbundles');
  const isVersionless = resourceid === unknownId && !isBundle;
  return {
    source: event.source,
    type: event.type,
    hasTime: event.time !== undefined,
    extensions: {
      ...extensions,
      resourceid: isBundle ? resourceid : (uid ?? resourceid),
      ...(!isVersionless && { resourceversion }),
      ...(metadata !== undefined && {
        metadata: { ...plain(JSON.parse(String(metadata))), resourceVersion: undefined },
      }),
      ...(deletiontimestamp !== undefined && { deletiontimestamp: deletiontimestamp instanceof Date }),
    },
    data,
  };
}

/** Without managed fields, and without what Go writes for fields that are not set. */
const plain = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => key !== 'managedFields')
      .map(([key, value]) => [key, isRecord(value) ? plain(value) : value] as const)
      .filter(([, value]) => value !== null && !(isRecord(value) && Object.keys(value).length === 0)),
  );
