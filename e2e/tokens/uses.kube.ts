import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, Label, Signer } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';
import { joinTokenClusterRole, joinTokenGroups, joinTokenObjects } from '@flotilla/install';
import { createKubeClient, type KubeClient, kubeconfigAccess, realClock, staticAccess } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  secrets,
} from '@flotilla/kube/kinds';
import { clusterSubject, createCertificateRequest, createKey } from '@flotilla/registration-core/certificates';
import { joinTokenKey, readJoinToken } from '@flotilla/registration-core/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GrpcFleet, startGrpcFleet } from '../grpc/grpc-fleet.ts';
import { kubeconfigOf, serverKinds, startServer } from '../registration/servers.ts';

const pollOptions = { timeout: 60_000, interval: 200 };
const id = 'raceto';
const secret = '0123456789abcdef';
const user = `system:bootstrap:${id}`;
const maxUses = 3;
/** Of each auth type. */
const clusters = 8;

describe.each(serverKinds)('on %s, the uses of a join token', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let fleet: GrpcFleet;
  let holder: KubeClient;
  let grpcServer: KubeClient;
  const groups = joinTokenGroups({ maxUses });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-uses-'));
    fleet = await startGrpcFleet(await startServer(kind));
    const { client, access } = fleet.hub;
    const role = await client
      .resource(clusterRoles)
      .create(joinTokenClusterRole([csrDriver, grpcDriver], { id, maxUses }));
    const token = { id, secret, usages: ['authentication'] as const, groups };
    const [binding, record, stored] = joinTokenObjects(role, { id, maxUses }, token);
    await client.resource(clusterRoleBindings).create(binding);
    await client.resource(configMaps).create(record);
    await client.resource(secrets).create(stored);
    const { server, ca } = access;
    const authorization = `Bearer ${id}.${secret}`;
    holder = createKubeClient({
      access: staticAccess({ server, ...(ca && { ca }), authorization, origin: 'a token' }),
    });
    const files = await kubeconfigOf(fleet.hub, 'open-cluster-management-hub/grpc-server-sa', directory);
    grpcServer = createKubeClient({ access: kubeconfigAccess({ files, clock: realClock }) });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await holder?.close();
    await grpcServer?.close();
    await fleet?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  /** Asks for the certificate of a cluster, directly or as the gRPC server does for the holder of a token. */
  const ask = async (cluster: string, signerName: string): Promise<void> => {
    const subject = clusterSubject({ clusterName: cluster, agentName: 'agent' });
    const pem = await createCertificateRequest(createKey(), subject);
    const isGrpc = signerName === Signer.Grpc;
    const annotations = { [Annotation.CsrUser]: user, [Annotation.CsrGroups]: groups.join(',') };
    await (isGrpc ? grpcServer : holder).resource(certificateSigningRequests).create({
      metadata: {
        generateName: `${cluster}-`,
        labels: { [Label.ClusterName]: cluster },
        ...(isGrpc && { annotations }),
      },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName,
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    });
  };

  it('are no more than its limit, for requests of both auth types at once and two replicas that approve', async () => {
    const signers = [Signer.KubeApiServerClient, Signer.Grpc];
    // All are there before the first replica looks, so that all are approved in the same moment.
    await Promise.all(
      signers.flatMap((signer, type) =>
        Array.from({ length: clusters }, (_, cluster) => ask(`c${type}${cluster}`, signer)),
      ),
    );
    const flags = [
      '--feature-gates=ManagedClusterAutoApproval=true',
      `--auto-approved-csr-users=${user}`,
      `--auto-approved-grpc-users=${user}`,
    ];
    fleet.startGrpcHub(flags);
    fleet.startGrpcHub(flags);
    const { client } = fleet.hub;
    const uses = async () => readJoinToken((await client.resource(configMaps).find(joinTokenKey(id))) ?? {})?.uses;
    await expect.poll(uses, pollOptions).toHaveLength(maxUses);
    const { items } = await client.resource(certificateSigningRequests).list();
    const approved = items.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Approved'));
    expect(items).toHaveLength(2 * clusters);
    expect(approved).toHaveLength(maxUses);
    expect(approved.filter(({ status }) => status?.certificate)).toHaveLength(maxUses);
  });
});
