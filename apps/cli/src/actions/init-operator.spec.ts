import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterManagers } from '@flotilla/api-types';
import { configMaps, deployments, namespaces, secrets, serviceAccounts, services } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { addNode } from '../fixtures/nodes.ts';

let world: CliWorld<'hub'>;
let directory: string;
beforeAll(async () => {
  world = await startWorld('hub');
  directory = mkdtempSync(join(tmpdir(), 'flotilla-init-'));
  await addNode(world.planes.hub);
});
afterEach(() => world.flotilla(['clean', '--kubeconfig', 'hub', '--force']));
afterAll(() => world[Symbol.asyncDispose]());

const client = () => world.planes.hub.client;
const init = (...flags: string[]) => world.flotilla(['init', '--kubeconfig', 'hub', ...flags]);
const hub = async () => (await client().resource(clusterManagers).get('cluster-manager')).spec;
const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

describe('flotilla init on a cluster with nodes', () => {
  it('installs the operator and a ClusterManager, and prints a join command', async () => {
    const { code, out, err } = await init();
    expect([code, err]).toEqual([0, expect.stringContaining('Installed the operator and ClusterManager')]);
    expect(out).not.toContain('Start the hub');
    const [line = ''] = out.split('\n').filter((text) => text.trim().startsWith('flotilla join'));
    expect(line.trim().split(' ')[5]).toBe('https://hub:6443');
    const deployment = await client().resource(deployments).get('open-cluster-management/cluster-manager');
    expect(deployment.spec?.template.spec?.containers[0]?.image).toBe(`flotilla/operator:v${manifest.version}`);
    const account = 'open-cluster-management/agent-registration-bootstrap';
    expect(await client().resource(serviceAccounts).find(account)).toBeDefined();
    expect(await client().resource(configMaps).find('kube-public/cluster-info')).toBeDefined();
  });

  it('publishes its address again where only this machine reaches the one that is published, as doctor advises', async () => {
    await init();
    const info = () => client().resource(configMaps).get('kube-public/cluster-info');
    const publish = async (server: string) => {
      const kubeconfig = (await info()).data?.kubeconfig?.replace(/server: .*/, `server: ${server}`) ?? '';
      const body = { data: { kubeconfig } };
      await client().resource(configMaps).patch('kube-public/cluster-info', { type: 'merge', body });
    };
    await publish('https://127.0.0.1:6443');
    expect((await world.flotilla(['doctor', 'hub', '--kubeconfig', 'hub'])).out).toContain(
      'Repeat `flotilla init`, which publishes https://hub:6443.',
    );
    await init();
    expect((await info()).data?.kubeconfig).toContain('server: https://hub:6443\n');
    await publish('https://chosen.example.com');
    await init();
    expect((await info()).data?.kubeconfig).toContain('server: https://chosen.example.com\n');
  });

  it('goes on with the bootstrap token of an earlier init, and creates no account', async () => {
    const token = async (...flags: string[]) => JSON.parse((await init(...flags, '-o', 'json')).out)['hub-token'];
    const first = await token('--use-bootstrap-token', '--feature-gates', 'ManagedClusterAutoApproval=true');
    const before = await hub();
    expect(await token()).toBe(first);
    expect(await hub()).toEqual(before);
    const account = 'open-cluster-management/agent-registration-bootstrap';
    expect(await client().resource(serviceAccounts).find(account)).toBeUndefined();
  });

  it('[cli A12] records the features that are on, and nothing else', async () => {
    await init('--use-bootstrap-token');
    const { registrationConfiguration } = (await hub()) ?? {};
    expect(registrationConfiguration?.featureGates?.map(({ feature }) => feature)).toEqual([
      'DefaultClusterSet',
      'ResourceCleanup',
    ]);
  });

  it('switches on parts of the hub that OCM does not have, where OCM does not look', async () => {
    await init('--feature-gates', 'ClusterProxy=true,PushAgents=true');
    const { registrationConfiguration, serverConfiguration } = (await hub()) ?? {};
    expect(serverConfiguration?.featureGates).toEqual([
      { feature: 'ClusterProxy', mode: 'Enable' },
      { feature: 'PushAgents', mode: 'Enable' },
    ]);
    expect(registrationConfiguration?.featureGates).toHaveLength(2);
    await init('--feature-gates', 'ClusterProxy=false');
    expect((await hub())?.serverConfiguration?.featureGates).toEqual([{ feature: 'PushAgents', mode: 'Enable' }]);
  });

  it('[cli A25] prints the bootstrap token of the Secret, and keeps it', async () => {
    const token = async () => JSON.parse((await init('--use-bootstrap-token', '-o', 'json')).out)['hub-token'];
    const first = await token();
    expect(first).toMatch(/^ocmhub\.[a-z0-9]{16}$/);
    expect(await token()).toBe(first);
  });

  it.each(['--use-bootstrap-token=false', '--no-use-bootstrap-token'])(
    'uses the service account again: %s',
    async (flag) => {
      const token = async (...flags: string[]) => JSON.parse((await init(...flags, '-o', 'json')).out)['hub-token'];
      expect(await token('--use-bootstrap-token')).toMatch(/^ocmhub\./);
      expect(await token(flag)).not.toMatch(/^ocmhub\./);
      expect(await token()).not.toMatch(/^ocmhub\./);
    },
  );

  it.each([
    ['the version of this program', [], `v${manifest.version}`],
    ['[cli A02] the default bundle', ['--bundle-version', 'default'], `v${manifest.version}`],
    [
      '[cli A02] a release, with or without its v',
      ['--bundle-version', `v${manifest.version}`],
      `v${manifest.version}`,
    ],
    ['the latest build', ['--bundle-version', 'latest'], 'latest'],
  ])('runs %s', async (_, flags, tag) => {
    await init('--image-registry', 'mirror.local/fleet/', ...flags);
    expect((await hub())?.registrationImagePullSpec).toBe(`mirror.local/fleet/hub:${tag}`);
  });

  it('[cli A02] runs what a file of overrides names', async () => {
    await init('--bundle-version-overrides', file('bundle.json', '{"ocm": "v9.9.9"}'));
    expect((await hub())?.workImagePullSpec).toBe('flotilla/hub:v9.9.9');
  });

  it.each([
    [
      '[cli A03] a bundle that it does not know',
      ['--bundle-version', '9.9.9'],
      "couldn't find the requested version bundle: 9.9.9",
    ],
    ['an empty registry', ['--image-registry', ''], 'registry should not be empty'],
    [
      'a file of credentials that is missing',
      ['--image-pull-credential-file', '/nonexistent'],
      'failed read the image pull credential file',
    ],
    [
      '[cli A21] a file of values that is missing',
      ['--cluster-manager-values-file', '/nonexistent'],
      '--cluster-manager-values-file',
    ],
    [
      '[cli A06] requests above limits',
      [
        '--resource-qos-class',
        'ResourceRequirement',
        '--resource-requests',
        'cpu=200m',
        '--resource-limits',
        'cpu=100m',
      ],
      'requests cpu=200m must be less than or equal to limits cpu=100m',
    ],
    [
      '[cli A06] sizes without their class',
      ['--resource-limits', 'cpu=1'],
      'resource type must be ResourceRequirement',
    ],
    [
      '[cli A06] their class without sizes',
      ['--resource-qos-class', 'ResourceRequirement'],
      'both limits and requests are not set',
    ],
    [
      '[cli A06] what is not an amount',
      ['--resource-qos-class', 'ResourceRequirement', '--resource-limits', 'cpu=much'],
      'cpu=much is not an amount',
    ],
    [
      'webhooks elsewhere',
      ['--operator', '--webhook-url', 'https://h:9443'],
      '--webhook-url and --operator exclude each other',
    ],
  ])('refuses %s, and changes nothing', async (_, flags, says) => {
    const before = await listAllObjects(client());
    const { code, err } = await init(...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    expect(await listAllObjects(client())).toEqual(before);
  });

  it('[cli A06] sizes the programs of the hub; one-sided and equal amounts pass', async () => {
    const sizes = ['--resource-limits', 'cpu=1,memory=1Gi', '--resource-requests', 'cpu=1'];
    expect(await init('--resource-qos-class', 'ResourceRequirement', ...sizes)).toMatchObject({ code: 0 });
    expect((await hub())?.resourceRequirement).toEqual({
      type: 'ResourceRequirement',
      resourceRequirements: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } },
    });
  });

  it('[cli A18] makes the pull secret, empty or as the file has it', async () => {
    const config = async () => {
      const { data } = await client()
        .resource(secrets)
        .get('open-cluster-management/open-cluster-management-image-pull-credentials');
      return Buffer.from(data?.['.dockerconfigjson'] ?? '', 'base64').toString();
    };
    await init();
    expect(await config()).toBe('{}');
    await init('--image-pull-credential-file', file('config.json', '{"auths":{"r":{}}}'));
    expect(await config()).toBe('{"auths":{"r":{}}}');
  });

  it('[cli A21] lets values of a file win, and refuses what the chart does not know', async () => {
    const values = file('values.yaml', 'replicaCount: 2\nenableSyncLabels: true\n');
    await init('--cluster-manager-values-file', values);
    const { spec } = await client().resource(deployments).get('open-cluster-management/cluster-manager');
    expect([spec?.replicas, spec?.template.spec?.containers[0]?.args]).toEqual([
      2,
      ['hub', '--listen=0.0.0.0:8443', `--hub-image=flotilla/hub:v${manifest.version}`, '--enable-sync-labels'],
    ]);
    const wrong = await init('--cluster-manager-values-file', file('wrong.yaml', 'replicas: 2\n'));
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('replicas is not a value of this chart')]);
    const malformed = await init('--cluster-manager-values-file', file('bad.yaml', 'a: [\n'));
    expect([malformed.code, malformed.err]).toEqual([2, expect.stringContaining('is not YAML')]);
  });

  it('[cli A19] records gRPC with its endpoint', async () => {
    await init('--registration-drivers', 'csr,grpc', '--grpc-server', 'grpc.example.com:8090');
    const { registrationConfiguration, serverConfiguration } = (await hub()) ?? {};
    expect(registrationConfiguration?.registrationDrivers?.map(({ authType }) => authType)).toEqual(['csr', 'grpc']);
    expect(serverConfiguration?.endpointsExposure).toEqual([
      { protocol: 'grpc', grpc: { type: 'hostname', hostname: { host: 'grpc.example.com:8090' } } },
    ]);
  });

  it('leaves the address of the gRPC server to a load balancer, and prints how to join once there is one', async () => {
    const flags = ['--registration-drivers', 'csr,grpc', '--grpc-endpoint-type', 'loadBalancer', '-o', 'json'];
    const joinInfo = async () => JSON.parse((await init(...flags)).out);
    expect((await joinInfo())['grpc-server']).toBeUndefined();
    expect((await hub())?.serverConfiguration?.endpointsExposure).toEqual([
      { protocol: 'grpc', grpc: { type: 'loadBalancer' } },
    ]);
    const namespace = 'open-cluster-management-hub';
    await client()
      .resource(namespaces)
      .create({ metadata: { name: namespace } });
    const service = await client()
      .resource(services)
      .create({ metadata: { namespace, name: 'cluster-manager-grpc-server' }, spec: { ports: [{ port: 443 }] } });
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } };
    await client()
      .resource(services)
      .status.replace({ ...service, status });
    expect((await joinInfo())['grpc-server']).toBe('203.0.113.7:443');
  });

  it('shows what an earlier hub is changed to', async () => {
    await init();
    const { err } = await init('--bundle-version', 'latest');
    expect(err).toContain(`spec.workImagePullSpec: flotilla/hub:v${manifest.version} → flotilla/hub:latest`);
  });

  it('writes what it applies to a file, without secrets, and applies nothing in a dry run', async () => {
    const before = await listAllObjects(client());
    const { code, out } = await init(
      '--dry-run',
      '--use-bootstrap-token',
      '--output-file',
      join(directory, 'hub.yaml'),
    );
    expect(code).toBe(0);
    const kinds = parseAllDocuments(out).map((document) => document.toJS().kind);
    expect(kinds.slice(0, 2)).toEqual(['CustomResourceDefinition', 'Namespace']);
    expect(out).not.toContain('ocmhub.');
    expect(await listAllObjects(client())).toEqual(before);
  });

  it('waits, and says what the operator lacks', async () => {
    const { code, err } = await init('--wait', '--timeout', '0');
    expect([code, err]).toEqual([
      4,
      expect.stringContaining('waiting for the registration operator to become ready: it has no pod yet'),
    ]);
  });

  it('installs a hub without the operator if that is asked for', async () => {
    const { out } = await init('--operator=false');
    expect(out).toContain('Start the hub');
    const { code, err } = await init('--operator=false', '--image-registry', 'x');
    expect([code, err]).toEqual([2, expect.stringContaining('--image-registry has no effect without the operator')]);
  });

  it('needs namespaces to exist that it is not to create', async () => {
    expect(await init('--create-namespace=false')).toMatchObject({ code: 3 });
    await client()
      .resource(namespaces)
      .create({ metadata: { name: 'open-cluster-management' } });
    expect(await init('--create-namespace=false')).toMatchObject({ code: 0 });
  });

  it('is removed by clean, with the operator or without it', async () => {
    const before = await listAllObjects(client());
    await init('--use-bootstrap-token');
    expect(await world.flotilla(['clean', '--kubeconfig', 'hub', '--dry-run'])).toMatchObject({ code: 0 });
    const cleaned = await world.flotilla(['clean', '--kubeconfig', 'hub']);
    expect(cleaned).toMatchObject({ code: 0 });
    expect(cleaned.out).toContain('Removed Deployment open-cluster-management/cluster-manager');
    expect(await listAllObjects(client())).toEqual(before);
    await init();
    await world.flotilla(['clean', '--kubeconfig', 'hub', '--purge-operator=false']);
    expect(await client().resource(deployments).find('open-cluster-management/cluster-manager')).toBeDefined();
    expect(await client().resource(clusterManagers).find('cluster-manager')).toBeUndefined();
  });
});
