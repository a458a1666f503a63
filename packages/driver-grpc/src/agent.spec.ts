import { type ClusterAccess, createKubeClient, KubeError, realClock, silentLogger, staticAccess } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import type { AgentDriver, BootstrapFiles } from '@flotilla/registration-core/contract';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createGrpcAgent } from './agent.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const kubeAccess: ClusterAccess = {
  server: 'https://hub:6443',
  clusterName: 'my-hub',
  ca: 'kube CA',
  origin: 'a spec',
};
const config = `url: hub:8090\ncaData: ${base64('gRPC CA')}\ntoken: secret\n`;

interface Files {
  readonly texts: Record<string, string>;
  readonly changes: Subject<void>;
}

function driverWith(
  options: Partial<Parameters<typeof createGrpcAgent>[0]['options']> = {},
  given?: Files,
  gates: Readonly<Record<string, boolean>> = {},
): AgentDriver {
  const texts = given?.texts ?? { 'bootstrap.yaml': config };
  const files: BootstrapFiles = {
    kubeconfig: () => staticAccess(kubeAccess),
    text: (path) => ({
      async current() {
        const text = texts[path];
        if (text !== undefined) return text;
        throw new KubeError('Config', `there is no file ${path}`);
      },
      changes: given?.changes ?? new Subject(),
      close() {},
    }),
  };
  return createGrpcAgent({
    identity: { clusterName: 'c1', agentName: 'a1' },
    options: {
      bootstrapKubeconfig: '',
      bootstrapKubeconfigs: [],
      grpcBootstrapConfig: 'bootstrap.yaml',
      grpcConfig: '/spoke/hub-kubeconfig/config.yaml',
      clientCertExpirationSeconds: 0,
      addonEndpointListen: '127.0.0.1:0',
      addonEndpointAddress: '',
      ...options,
    },
    gates,
    files,
    connect() {
      throw new Error('the agent does not connect to an API server');
    },
    secret: () => ({ read: async () => undefined, write: async () => {} }),
    clock: new FakeClock(realClock.now()),
    log: silentLogger,
    random: () => 0,
  });
}

describe('the bootstrap configuration', () => {
  it('leads to the gRPC server, and is enough without a kubeconfig [registration-agent 8]', async () => {
    const { endpoint, origin } = await driverWith().bootstraps[0].current();
    expect(endpoint).toEqual({ name: 'hub', server: 'hub:8090', caData: base64('gRPC CA') });
    expect(origin).toBe('bootstrap.yaml');
  });

  it('needs no more than a url [registration-agent 72]', async () => {
    const driver = driverWith({}, { texts: { 'bootstrap.yaml': 'url: hub:8090\n' }, changes: new Subject() });
    const { endpoint } = await driver.bootstraps[0].current();
    expect(endpoint).toEqual({ name: 'hub', server: 'hub:8090' });
    expect(driver.describe(endpoint)['config.yaml']).toContain('url: hub:8090\n');
  });

  it('has another fingerprint with another token, and says so', async () => {
    const files: Files = { texts: { 'bootstrap.yaml': config }, changes: new Subject() };
    const [source] = driverWith({}, files).bootstraps;
    const { fingerprint } = await source.current();
    let changes = 0;
    source.changes.subscribe(() => {
      changes += 1;
    });
    files.texts['bootstrap.yaml'] = config.replace('secret', 'another');
    files.changes.next();
    expect(changes).toBe(1);
    expect((await source.current()).fingerprint).not.toBe(fingerprint);
    expect(fingerprint).not.toContain('secret');
  });

  it.each<[string, Record<string, string>, string]>([
    ['is not there', {}, 'failed to load hub bootstrap registration config from file "bootstrap.yaml": '],
    ['names no server', { 'bootstrap.yaml': 'token: x' }, 'url is required'],
  ])('is an error that names the file if it %s [registration-agent 72]', async (_, texts, message) => {
    const [source] = driverWith({}, { texts, changes: new Subject() }).bootstraps;
    await expect(source.current()).rejects.toThrow(message);
  });

  it('must be named by a flag, or the stored one [registration-agent 8]', () => {
    expect(() => driverWith({ grpcBootstrapConfig: '', grpcConfig: '' })).toThrow('config file should be set');
    expect(() => driverWith({ grpcBootstrapConfig: '' })).not.toThrow();
    expect(() => driverWith({ grpcConfig: '' })).not.toThrow();
  });

  it('is one: the gate for several hubs is refused', () => {
    expect(() => driverWith({}, undefined, { MultipleHubs: true })).toThrow(
      'the feature gate MultipleHubs does not work with --registration-auth=grpc',
    );
    expect(() => driverWith({}, undefined, { MultipleHubs: false })).not.toThrow();
  });
});

describe('the Secret', () => {
  const endpoint = { name: 'hub', server: 'hub:8090', caData: base64('gRPC CA') };

  it('has config.yaml as OCM writes it, for processes that find the identity as files', () => {
    expect(driverWith().describe(endpoint)).toEqual({
      'config.yaml': [
        `caData: ${base64('gRPC CA')}`,
        'clientCertFile: /spoke/hub-kubeconfig/tls.crt',
        'clientKeyFile: /spoke/hub-kubeconfig/tls.key',
        'url: hub:8090',
        'token: ""',
        '',
      ].join('\n'),
    });
  });

  it('has a kubeconfig for the API server beside it, if the cluster has one for bootstrapping', async () => {
    const driver = driverWith({ bootstrapKubeconfig: 'kubeconfig' });
    const bootstrap = await driver.bootstraps[0].current();
    expect(bootstrap.endpoint.name).toBe('my-hub');
    const stored = driver.describe(bootstrap.endpoint);
    expect(stored.kubeconfig).toContain('server: https://hub:6443');
    expect(stored.kubeconfig).toContain('client-certificate: tls.crt');
    expect(driver.endpointOf(stored)).toEqual(bootstrap.endpoint);
  });

  it('keeps what the configuration says about keep-alive and silence', async () => {
    const text = `${config}keepAliveConfig: {enable: true, time: 20s}\nserverHealthinessTimeout: 25s\n`;
    const driver = driverWith({}, { texts: { 'bootstrap.yaml': text }, changes: new Subject() });
    await driver.bootstraps[0].current();
    expect(driver.describe(endpoint)['config.yaml']).toContain(
      'keepAliveConfig:\n  enable: true\n  time: 20s\nserverHealthinessTimeout: 25s\n',
    );
  });

  it('leads nowhere without config.yaml, and is refused with one that cannot be read', () => {
    const driver = driverWith();
    expect(driver.endpointOf({ kubeconfig: 'of another auth type' })).toBeUndefined();
    expect(() => driver.endpointOf({ 'config.yaml': 'token: ""' })).toThrow('url is required');
  });

  it('[grpc-cloudevents 26.6-59] [registration-agent 73] has credentials that count if they name this cluster and agent and have not ended', async () => {
    const driver = driverWith();
    const authority = await createAuthority('a spec', realClock);
    const issue = async (cluster: string, agent: string, ttlMs: number) => {
      const group = `system:open-cluster-management:${cluster}`;
      const groups = [group, 'system:open-cluster-management:managed-clusters'];
      const request = { usage: 'client', name: `${group}:${agent}`, groups, ttlMs } as const;
      const { certificate, key } = await issueCertificate(authority, request, realClock);
      return { 'tls.crt': certificate, 'tls.key': key };
    };
    const good = await issue('c1', 'a1', 3_600_000);
    expect(driver.evaluate(good)).toMatchObject({ usable: true });
    expect(driver.evaluate({ 'tls.key': good['tls.key'] })).toMatchObject({ reason: 'Missing' });
    expect(driver.evaluate({ 'tls.crt': good['tls.crt'] })).toMatchObject({ reason: 'Missing' });
    expect(driver.evaluate(await issue('c2', 'a1', 3_600_000))).toMatchObject({ reason: 'OtherIdentity' });
    expect(driver.evaluate(await issue('c1', 'a2', 3_600_000))).toMatchObject({ reason: 'OtherIdentity' });
    expect(driver.evaluate(await issue('c1', 'a1', -60_000))).toMatchObject({ reason: 'Expired' });
  });
});

it('declares its auth type on the ManagedCluster', () => {
  const decorated = driverWith().decorate?.({ metadata: { name: 'c1', annotations: { kept: 'yes' } } });
  expect(decorated?.metadata?.annotations).toEqual({
    kept: 'yes',
    'agent.open-cluster-management.io/registration-auth': 'grpc',
  });
});

describe('a hub that cannot be reached', () => {
  const transport = {
    request: async () => {
      throw new KubeError('Unavailable', 'no server answers');
    },
    stream: async () => {
      throw new KubeError('Unavailable', 'no server answers');
    },
    accessChanged: new Subject<void>(),
    close: async () => {},
  };
  const hub = createKubeClient({ transport });
  const { signal } = new AbortController();

  it('is not connected, and cannot be joined', async () => {
    const driver = driverWith();
    expect(await driver.checkConnection?.(hub, signal)).toMatchObject({ connected: false, reason: 'Unavailable' });
    expect(await driver.checkBootstrap(hub, signal)).toMatchObject({ kind: 'unavailable' });
  });
});
