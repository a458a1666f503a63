import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Cluster } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { deploy, type Server, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { workCondition } from '../work/work-world.ts';
import { type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const name = 'moving';

describe("our agent on OCM's hub and gRPC server", () => {
  let fleet: GrpcFleet;
  let managed: Server;
  let cluster: Cluster;
  let agent: Program;
  let directory: string;
  beforeAll(async () => {
    fleet = await startGrpcFleet();
    await fleet.startOcmGrpcHub();
    await fleet.startOcmGrpcServer();
    managed = await startServer('embedded');
    cluster = await fleet.newCluster(managed);
    await deploy(managed, 'singleton', ['work-payloads.yaml']);
    directory = await mkdtemp(join(tmpdir(), 'flotilla-grpc-agent-'));
    const { server, ca = '', authorization = '' } = fleet.bootstrapAccess();
    await writeFile(
      join(directory, 'bootstrap.yaml'),
      stringify({
        url: server.replace('https://', ''),
        caData: btoa(ca),
        token: authorization.replace('Bearer ', ''),
      }),
    );
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const identity = () => join(directory, 'hub-kubeconfig');
  const startBy = (auth: 'csr' | 'grpc'): Program =>
    cluster.startAgent(name, {
      app: 'singleton',
      flags: [
        `--registration-auth=${auth}`,
        `--grpc-bootstrap-config=${join(directory, 'bootstrap.yaml')}`,
        `--grpc-config=${join(identity(), 'config.yaml')}`,
        `--hub-kubeconfig-dir=${identity()}`,
      ],
    });
  const works = () => fleet.hub.client.resource(manifestWorks);
  const applied = (work: string, generation = 1) =>
    fleet.admin.seen.until(
      manifestWorks,
      `generation ${generation} of ${work} to be applied`,
      (object) =>
        object.metadata?.name === work &&
        object.metadata.generation === generation &&
        workCondition(object, 'Applied') === 'True',
    );
  const change = async (value: string, generation: number) => {
    const body = { spec: { workload: { manifests: [configMap('stays', { value })] } } };
    await works().patch(`${name}/stays`, { type: 'merge', body });
    await applied('stays', generation);
    expect((await managed.client.resource(configMaps).get('default/stays')).data).toEqual({ value });
  };
  /** What must not be created again when the agent comes another way. */
  const uids = async () => {
    const objects = await Promise.all([
      fleet.hub.client.resource(managedClusters).get(name),
      works().get(`${name}/stays`),
      managed.client.resource(configMaps).get('default/stays'),
    ]);
    return objects.map(({ metadata }) => metadata?.uid);
  };

  it('joins, applies a work, and removes what it applied', { timeout: 120_000 }, async () => {
    agent = startBy('grpc');
    await fleet.accept(name);
    await fleet.beatsOn(name);
    const create = (work: string) =>
      works().create({
        metadata: { namespace: name, name: work },
        spec: { workload: { manifests: [configMap(work, { value: 'first' })] } },
      });
    await create('goes');
    await applied('goes');
    await works().delete(`${name}/goes`);
    await fleet.admin.seen.gone(manifestWorks, `${name}/goes`);
    expect(await managed.client.resource(configMaps).find('default/goes')).toBeUndefined();
    await create('stays');
    await applied('stays');
  });

  it('keeps its identity as OCM keeps it', async () => {
    const stored = await cluster.identity();
    const { server, ca = '' } = fleet.bootstrapAccess();
    expect(stored?.['config.yaml']).toBe(
      [
        `caData: ${btoa(ca)}`,
        `clientCertFile: ${join(identity(), 'tls.crt')}`,
        `clientKeyFile: ${join(identity(), 'tls.key')}`,
        `url: ${server.replace('https://', '')}`,
        'token: ""',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['csr', 2],
    ['grpc', 3],
  ] as const)('goes on by %s, and nothing is created again', { timeout: 200_000 }, async (auth, generation) => {
    const before = await uids();
    await agent.end();
    agent = startBy(auth);
    await fleet.admin.approve(name);
    await agent.said('the agent is running');
    await change(auth, generation);
    expect(await uids()).toEqual(before);
  });
});
