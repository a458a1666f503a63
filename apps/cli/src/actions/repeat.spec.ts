import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clusterManagers, klusterlets } from '@flotilla/api-types';
import {
  configMaps,
  deployments,
  networkPolicies,
  podDisruptionBudgets,
  priorityClasses,
  secrets,
} from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { readEndpoint } from '@flotilla/registration-core/kube-hub';
import { certificateBlocks } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { addNode } from '../fixtures/nodes.ts';

let world: CliWorld<'hub' | 'managed'>;
let directory: string;
beforeAll(async () => {
  world = await startWorld('hub', 'managed');
  directory = mkdtempSync(join(tmpdir(), 'flotilla-repeat-'));
  await addNode(world.planes.hub);
  await addNode(world.planes.managed);
});
afterAll(() => world[Symbol.asyncDispose]());

const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const sizes = (memory: string) => [
  ...['--resource-qos-class', 'ResourceRequirement'],
  ...['--resource-requests', `memory=${memory}`],
];
/** Answers every question, and records it. */
function answering(answer: string) {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answer;
  };
  return { questions, ask };
}

describe('flotilla init on a cluster that is a hub', () => {
  const hub = () => world.planes.hub.client;
  const init = (flags: readonly string[], ask?: (question: string) => Promise<string>) =>
    world.flotilla(['init', '--kubeconfig', 'hub', ...flags], { ...(ask && { ask }) });
  const read = () => hub().resource(clusterManagers).get('cluster-manager');
  const operatorKey = 'open-cluster-management/cluster-manager';
  afterEach(() => world.flotilla(['clean', '--kubeconfig', 'hub', '--force']));

  const first = [
    ...['--registration-drivers', 'csr,grpc', '--grpc-server', 'grpc.example.com:8090', '--enable-sync-labels'],
    ...['--feature-gates', 'ClusterProxy=true,PushAgents=true,ManagedClusterAutoApproval=true'],
    ...['--image-registry', 'mirror.local/fleet', '--bundle-version', 'latest'],
  ];

  it('changes nothing without flags, and prints the command to join', async () => {
    await init(first);
    const before = [await read(), await hub().resource(deployments).get(operatorKey), await listAllObjects(hub())];
    const { code, out, err } = await init([]);
    expect([code, out]).toEqual([0, expect.stringContaining('flotilla join')]);
    expect(err).not.toContain('This command changes');
    expect([await read(), await hub().resource(deployments).get(operatorKey), await listAllObjects(hub())]).toEqual(
      before,
    );
  });

  it('changes what a flag names, keeps the rest and what kubectl wrote since, and prints this difference alone', async () => {
    await init([...first, '--image-pull-credential-file', file('config.json', '{"auths":{"r":{}}}')]);
    const edit = {
      spec: { nodePlacement: { nodeSelector: { pool: 'system' } }, registrationImagePullSpec: 'own/hub:1' },
    };
    await hub().resource(clusterManagers).patch('cluster-manager', { type: 'merge', body: edit });
    const before = await read();
    const { code, err } = await init(sizes('96Mi'));
    expect(code).toBe(0);
    const resourceRequirement = { type: 'ResourceRequirement', resourceRequirements: { requests: { memory: '96Mi' } } };
    expect((await read()).spec).toEqual({ ...before.spec, resourceRequirement });
    expect(err.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      expect.stringMatching(/^ {2}spec\.resourceRequirement\.type: .*ResourceRequirement$/),
      '  spec.resourceRequirement.resourceRequirements.requests.memory: 96Mi',
    ]);
    const { data } = await hub()
      .resource(secrets)
      .get('open-cluster-management/open-cluster-management-image-pull-credentials');
    expect(atob(data?.['.dockerconfigjson'] ?? '')).toBe('{"auths":{"r":{}}}');
  });

  it('switches a feature without losing the others, and moves the gRPC server without losing the drivers', async () => {
    await init(first);
    await init(['--feature-gates', 'PushAgents=false']);
    await init(['--grpc-server', 'other.example.com:8090']);
    const { registrationConfiguration, serverConfiguration } = (await read()).spec ?? {};
    expect(serverConfiguration).toMatchObject({
      featureGates: [{ feature: 'ClusterProxy', mode: 'Enable' }],
      endpointsExposure: [{ protocol: 'grpc', grpc: { hostname: { host: 'other.example.com:8090' } } }],
    });
    expect(registrationConfiguration?.registrationDrivers).toHaveLength(2);
    expect(registrationConfiguration?.featureGates).toHaveLength(3);
  });

  it('keeps the flags that somebody gave to the operator when its image changes', async () => {
    await init(first);
    const before = await hub().resource(deployments).get(operatorKey);
    const [container] = before.spec?.template.spec?.containers ?? [];
    const args = [...(container?.args ?? []), '--deployment-replicas=3'];
    const containers = [{ name: container?.name ?? '', args }];
    const body = { spec: { replicas: 2, template: { spec: { containers } } } };
    await hub().resource(deployments).patch(operatorKey, { type: 'strategic', body });
    await init(['--image-registry', 'other.local']);
    const { spec } = await hub().resource(deployments).get(operatorKey);
    expect([spec?.replicas, spec?.template.spec?.containers[0]]).toMatchObject([
      2,
      { image: 'other.local/operator:latest', args: expect.arrayContaining(['--deployment-replicas=3']) },
    ]);
    expect(JSON.stringify(spec)).not.toContain('mirror.local');
    expect((await read()).spec?.workImagePullSpec).toBe('other.local/hub:latest');
  });

  it('takes each value of a file that is about the operator, and removes what the file has as empty', async () => {
    const spec = async () => (await hub().resource(deployments).get(operatorKey)).spec;
    const values = (name: string, text: string) => ['--cluster-manager-values-file', file(name, text)];
    await init(first);
    const set = [
      'enableSyncLabels: true\ndeploymentReplicas: 3\nextraArgs: [--skip-remove-crds]\nnodeSelector: { pool: system }',
      'priorityClassName: important\nimages: { imagePullPolicy: Always }\n',
    ].join('\n');
    expect(await init(values('set.yaml', set))).toMatchObject({ code: 0 });
    const flags = ['--enable-sync-labels', '--deployment-replicas=3', '--skip-remove-crds'];
    expect((await spec())?.template.spec).toMatchObject({
      containers: [{ args: expect.arrayContaining(flags), imagePullPolicy: 'Always' }],
      nodeSelector: { pool: 'system' },
      priorityClassName: 'important',
    });
    await init(values('one.yaml', 'deploymentReplicas: 2\n'));
    const [container] = (await spec())?.template.spec?.containers ?? [];
    expect([container?.args?.slice(-3), container?.imagePullPolicy]).toEqual([
      ['--enable-sync-labels', '--deployment-replicas=2', '--skip-remove-crds'],
      'Always',
    ]);
    const unset =
      'enableSyncLabels: false\ndeploymentReplicas: 0\nextraArgs: []\nnodeSelector: {}\npriorityClassName: ""\n';
    await init(values('unset.yaml', unset));
    const after = (await spec())?.template.spec;
    const image = 'mirror.local/fleet/hub:latest';
    expect(after?.containers[0]?.args).toEqual(['hub', '--listen=0.0.0.0:8443', `--hub-image=${image}`]);
    expect([after?.nodeSelector, after?.priorityClassName]).toEqual([undefined, undefined]);
  });

  it('creates and deletes what a file enables and disables, and leaves what somebody else made', async () => {
    const key = operatorKey;
    const values = (name: string, text: string) => ['--cluster-manager-values-file', file(name, text)];
    await init(first);
    await init(values('on.yaml', 'podDisruptionBudget: { enabled: true }\nnetworkPolicy: { enabled: true }\n'));
    expect(await hub().resource(podDisruptionBudgets).find(key)).toBeDefined();
    const theirs = { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } };
    await hub().resource(networkPolicies).patch(key, { type: 'merge', body: theirs });
    await init([]);
    expect(await hub().resource(podDisruptionBudgets).find(key)).toBeDefined();
    const off = values('off.yaml', 'podDisruptionBudget: { enabled: false }\nnetworkPolicy: { enabled: false }\n');
    const { code, err } = await init(off);
    expect([code, err]).toEqual([0, expect.stringContaining(`PodDisruptionBudget ${key}\n  removed\n`)]);
    expect(await hub().resource(podDisruptionBudgets).find(key)).toBeUndefined();
    expect(await hub().resource(networkPolicies).find(key)).toBeDefined();
  });

  it('takes a file with all values of the chart, as helm show values prints them', async () => {
    await init(first);
    const before = await read();
    const chart = fileURLToPath(new URL('../../../../deploy/charts/cluster-manager/values.yaml', import.meta.url));
    const body = { spec: { deployOption: { mode: 'Default' } } };
    await hub().resource(clusterManagers).patch('cluster-manager', { type: 'merge', body });
    expect(await init(['--cluster-manager-values-file', chart])).toMatchObject({ code: 0 });
    expect((await read()).spec?.serverConfiguration).toEqual(before.spec?.serverConfiguration);
  });

  it('makes again what was deleted', async () => {
    await init(first);
    await hub().resource(deployments).delete(operatorKey);
    expect(await init([])).toMatchObject({ code: 0 });
    expect(await hub().resource(deployments).find(operatorKey)).toBeDefined();
    expect((await read()).spec?.serverConfiguration?.featureGates).toHaveLength(2);
  });

  const answers: Record<string, [answer: string, flags: string[], code: number, asked: number]> = {
    'y: changes it': ['y', [], 0, 1],
    'n: changes nothing': ['n', [], 1, 1],
    'Enter: changes nothing': ['', [], 1, 1],
    '--yes: does not ask': ['n', ['--yes'], 0, 0],
    '--dry-run: does not ask, and changes nothing': ['y', ['--dry-run'], 0, 0],
  };
  it.each(Object.entries(answers))('on a terminal, %s', async (name, [answer, flags, code, asked]) => {
    await init(first);
    const before = await read();
    const { questions, ask } = answering(answer);
    const result = await init([...sizes('96Mi'), ...flags], ask);
    expect([result.code, questions]).toEqual([code, Array(asked).fill('Change it? [y/N] ')]);
    expect(result.err).toContain('resourceRequirements.requests.memory: 96Mi');
    const after = await read();
    if (name.includes('nothing')) expect(after).toEqual(before);
    else expect(after.spec?.resourceRequirement?.type).toBe('ResourceRequirement');
  });
});

describe('flotilla join on a cluster with an agent', () => {
  const managed = () => world.planes.managed.client;
  const read = () => managed().resource(klusterlets).get('klusterlet');
  let joinInfo: string[];
  const joinAsked = (ask: { ask?: (question: string) => Promise<string> }, flags: readonly string[]) =>
    world.flotilla(['join', '--kubeconfig', 'managed', ...joinInfo, '--cluster-name', 'cluster1', ...flags], ask);
  const join = (...flags: string[]) => joinAsked({}, flags);
  /** The hub in the bootstrap kubeconfig of the agent. */
  const bootstrap = async () => {
    const { data } = await managed().resource(secrets).get('open-cluster-management-agent/bootstrap-hub-kubeconfig');
    return readEndpoint(atob(data?.kubeconfig ?? ''));
  };
  beforeAll(async () => {
    await world.flotilla(['init', '--kubeconfig', 'hub', '--operator=false']);
    const { out, err } = await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json']);
    expect(err).toBe('');
    const value = JSON.parse(out);
    joinInfo = [
      ...['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']],
      ...['--hub-ca-hash', value['hub-ca-hashes'][0]],
    ];
  });
  afterEach(() => world.flotilla(['unjoin', '--kubeconfig', 'managed', '--cluster-name', 'cluster1', '--force']));

  it.each([
    ['the operator', '--operator=true'],
    ['an agent that the user starts', '--operator=false'],
  ])('changes what a flag names, and keeps the rest: with %s', async (_, operator) => {
    const first = [
      ...['--singleton', '--feature-gates', 'MultipleHubs=true,RawFeedbackJsonString=true'],
      ...['--klusterlet-annotation', 'a=b', '--client-cert-expiration-seconds', '7200'],
    ];
    expect(await join(operator, ...first)).toMatchObject({ code: 0 });
    const edit = { spec: { nodePlacement: { nodeSelector: { pool: 'system' } }, priorityClassName: 'own' } };
    await managed().resource(klusterlets).patch('klusterlet', { type: 'merge', body: edit });
    const before = await read();
    expect(await join(operator)).toMatchObject({ code: 0 });
    expect((await read()).spec).toEqual(before.spec);
    const { code, err } = await join(operator, '--klusterlet-annotation', 'c=d');
    expect([code, err]).toEqual([0, expect.stringContaining('agent.open-cluster-management.io/c: d')]);
    expect((await read()).spec).toEqual({
      ...before.spec,
      registrationConfiguration: {
        ...before.spec?.registrationConfiguration,
        clusterAnnotations: { 'agent.open-cluster-management.io/a': 'b', 'agent.open-cluster-management.io/c': 'd' },
      },
    });
  });

  it('gives the agents the PriorityClass that a file of values names, and creates it', async () => {
    const priorityClass = () => managed().resource(priorityClasses).find('important');
    const values = (name: string) => file(`${name || 'none'}.yaml`, `priorityClassName: "${name}"\n`);
    await join('--operator=true');
    expect(await join('--operator=true', '--klusterlet-values-file', values('important'))).toMatchObject({ code: 0 });
    expect([(await read()).spec?.priorityClassName, await priorityClass()]).toEqual(['important', expect.anything()]);
    await join('--operator=true', '--klusterlet-values-file', values(''));
    expect((await read()).spec?.priorityClassName).toBeUndefined();
  });

  it.each(['--operator=true', '--operator=false'])('keeps the proxy and the internal address: %s', async (operator) => {
    const key = 'kube-public/cluster-info';
    const hub = world.planes.hub.client.resource(configMaps);
    const { data } = await hub.get(key);
    const moved = data?.kubeconfig?.replace('https://hub:6443', 'https://hub.internal:6443') ?? '';
    await hub.patch(key, { type: 'merge', body: { data: { kubeconfig: moved } } });
    const proxyCa = file('proxy.pem', world.planes.managed.ca);
    const proxy = ['--proxy-url', 'http://proxy:3128', '--proxy-ca-file', proxyCa];
    const first = [...proxy, '--force-internal-endpoint-lookup'];
    expect(await join(operator, ...first)).toMatchObject({ code: 0 });
    const before = await bootstrap();
    expect(before).toMatchObject({ server: 'https://hub.internal:6443', proxyUrl: 'http://proxy:3128' });
    const { questions, ask } = answering('n');
    expect(await joinAsked({ ask }, [operator])).toMatchObject({ code: 0 });
    expect([await bootstrap(), questions]).toEqual([before, []]);
    expect(await join(operator, '--force-internal-endpoint-lookup=false')).toMatchObject({ code: 0 });
    expect((await bootstrap()).server).toBe('https://hub:6443');
    await hub.patch(key, { type: 'merge', body: { data } });
  });

  it('asks before it changes how the agent reaches the hub, and shows no password of a proxy', async () => {
    await join('--proxy-url', 'http://proxy:3128');
    const { questions, ask } = answering('n');
    const flags = ['--proxy-url', 'http://user:secret@other:3128'];
    const { code, err } = await joinAsked({ ask }, flags);
    expect([code, questions]).toEqual([1, ['Change it? [y/N] ']]);
    expect(err).toContain('kubeconfig.proxy-url: http://proxy:3128 → http://<redacted>@other:3128');
    expect(err).not.toContain('secret@');
    expect((await bootstrap()).proxyUrl).toBe('http://proxy:3128');
    expect(await join('--proxy-url', '')).toMatchObject({ code: 0 });
    expect((await bootstrap()).proxyUrl).toBeUndefined();
  });

  it('keeps the CA of the hub when a flag names that of the proxy, and asks for that of the proxy when a flag names the other', async () => {
    expect(await join('--proxy-url', 'http://proxy:3128')).toMatchObject({ code: 0 });
    const [flag = '', token = ''] = joinInfo;
    const named = (...flags: string[]) =>
      world.flotilla(['join', '--kubeconfig', 'managed', '--cluster-name', 'cluster1', flag, token, ...flags]);
    const proxyCa = file('proxy.pem', world.planes.managed.ca);
    for (const _ of ['first', 'again']) {
      const { code, err } = await named('--proxy-ca-file', proxyCa);
      expect(code, err).toBe(0);
      const blocks = certificateBlocks(atob((await bootstrap()).caData ?? ''));
      expect(blocks).toEqual([world.planes.hub.ca, world.planes.managed.ca].flatMap(certificateBlocks));
    }
    expect(await named('--ca-file', proxyCa)).toMatchObject({
      code: 3,
      err: expect.stringContaining('give this one with --proxy-ca-file.'),
    });
  });

  it('takes the address and the CA of the hub from the earlier join where no flag names them', async () => {
    await join();
    const before = await bootstrap();
    const [flag = '', token = ''] = joinInfo;
    const again = ['join', '--kubeconfig', 'managed', '--cluster-name', 'cluster1', flag, token];
    expect(await world.flotilla(again)).toMatchObject({ code: 0 });
    expect(await bootstrap()).toEqual(before);
  });
});
