import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as join_ } from 'node:path';
import { clusterManagers, klusterlets, NamespaceName } from '@flotilla/api-types';
import { runGrpcServer } from '@flotilla/hub-runtime/grpc';
import { realClock, silentLogger } from '@flotilla/kube';
import { configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub' | 'managed' | 'third'>;
/** Where the gRPC server listens. */
let address: string;
const cleanup = new AsyncDisposableStack();
beforeAll(async () => {
  world = cleanup.use(await startWorld('hub', 'managed', 'third'));
});
afterAll(() => cleanup.disposeAsync());

const drivers = ['--registration-drivers', 'csr,grpc'];
const init = (...flags: string[]) => world.flotilla(['init', '--kubeconfig', 'hub', ...flags]);
const getToken = (...flags: string[]) => world.flotilla(['get', 'token', '--kubeconfig', 'hub', ...flags]);
const join = (...flags: string[]) =>
  world.flotilla(['join', '--kubeconfig', 'managed', '--cluster-name', 'cluster1', ...flags]);

/** Makes certificates as the controllers do, and serves. */
async function serveGrpc(): Promise<void> {
  const { client, clientOf } = world.planes.hub;
  const authority = await createAuthority('grpc', realClock);
  const leaf = await issueCertificate(authority, { usage: 'server', hosts: ['localhost'] }, realClock);
  await client.resource(secrets).create({
    metadata: { name: 'grpc-server-serving-cert', namespace: NamespaceName.Hub },
    data: { 'tls.crt': btoa(leaf.certificate + authority.certificate), 'tls.key': btoa(leaf.key) },
  });
  await client.resource(configMaps).create({
    metadata: { name: 'ca-bundle-configmap', namespace: NamespaceName.Hub },
    data: { 'ca-bundle.crt': authority.certificate },
  });
  const stop = new AbortController();
  const { promise, resolve: onListening } = Promise.withResolvers<{ port: number }>();
  const running = runGrpcServer({
    client: clientOf({ name: `system:serviceaccount:${NamespaceName.Hub}:grpc-server-sa`, groups: [] }),
    tls: {
      serving: { secret: `${NamespaceName.Hub}/grpc-server-serving-cert` },
      clientCa: { configMap: `${NamespaceName.Hub}/ca-bundle-configmap` },
    },
    onListening,
    signal: stop.signal,
    clock: realClock,
    log: silentLogger,
  });
  cleanup.defer(async () => {
    stop.abort();
    await running;
  });
  address = `localhost:${(await promise).port}`;
}

const tokenCreate = (...flags: string[]) =>
  world.flotilla(['token', 'create', '--kubeconfig', 'hub', '--registration-auth', 'grpc', ...flags]);

describe('flotilla init --registration-drivers csr,grpc', () => {
  it('refuses an address that is missing, before anything is written [cli A20]', async () => {
    const { code, err } = await init(...drivers);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('grpc server should not be empty if the grpc endpoint type is hostname'),
    ]);
    expect(await world.planes.hub.client.resource(namespaces).find(NamespaceName.Hub)).toBeUndefined();
  });

  it.each([
    ['an address with a scheme', ['--grpc-server', 'https://hub:8090'], 'is not host:port'],
    [
      'an endpoint type that is none',
      ['--grpc-server', 'hub', '--grpc-endpoint-type', 'x'],
      'unknown grpc endpoint type x',
    ],
  ])('refuses %s', async (_, flags, message) => {
    const { code, err } = await init(...drivers, ...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('records both drivers and the address, and prints how to start the server [cli A19]', async () => {
    const { code, out, err } = await init(...drivers, '--grpc-server', 'hub.example.com:8090');
    expect([code, err]).toEqual([0, expect.any(String)]);
    const { spec } = await world.planes.hub.client.resource(clusterManagers).get('cluster-manager');
    expect(spec?.registrationConfiguration?.registrationDrivers).toEqual([{ authType: 'csr' }, { authType: 'grpc' }]);
    expect(spec?.serverConfiguration?.endpointsExposure).toEqual([
      { protocol: 'grpc', grpc: { type: 'hostname', hostname: { host: 'hub.example.com:8090' } } },
    ]);
    expect(out).toContain('--enabled-registration-drivers csr,grpc --grpc-server-hosts hub.example.com');
    expect(out).toContain(
      '/hub --namespace open-cluster-management-hub --service-account open-cluster-management-hub/grpc-server-sa --bind-address 0.0.0.0 --grpc-server-bindport 8090',
    );
    expect(out).toContain('The gRPC server has no certificate yet');
    expect(await tokenCreate('--print-register-command')).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('the gRPC server has no certificate yet'),
    });
  });
});

describe('flotilla get token', () => {
  it('prints the address of the gRPC server and the hash of its CA', async () => {
    await serveGrpc();
    expect((await init(...drivers, '--grpc-server', address)).code).toBe(0);
    const { out } = await getToken();
    expect(out).toMatch(
      new RegExp(
        `flotilla join --hub-token \\S+ --registration-auth grpc --grpc-server ${address} --grpc-ca-hash sha256:\\w{64} --cluster-name`,
      ),
    );
    const value = JSON.parse((await getToken('-o', 'json')).out);
    expect(value).toMatchObject({ 'grpc-server': address, 'grpc-ca-hashes': [expect.stringMatching(/^sha256:/)] });
    expect(atob(value['grpc-ca-data'])).toContain('BEGIN CERTIFICATE');
  });
});

describe('flotilla join --registration-auth grpc', () => {
  const asPrinted = async () => {
    const value = JSON.parse((await getToken('-o', 'json')).out);
    return {
      token: ['--hub-token', value['hub-token']],
      server: ['--grpc-server', value['grpc-server']],
      hash: ['--grpc-ca-hash', value['grpc-ca-hashes'][0]],
    };
  };
  const grpc = ['--registration-auth', 'grpc'];

  it('needs the address of the server', async () => {
    const { token } = await asPrinted();
    const { code, err } = await join(...grpc, ...token);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('grpc-server is required when registration-auth type is grpc'),
    ]);
  });

  it.each(['localhost', '127.0.0.1'])('sends no token to a server with another CA: %s', async (host) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const { token } = await asPrinted();
    const server = ['--grpc-server', address.replace('localhost', host)];
    const hash = ['--grpc-ca-hash', `sha256:${'0'.repeat(64)}`];
    const { code, err } = await join(...grpc, ...token, ...server, ...hash);
    // TLS has no name for an address: Node would warn of one (DEP0123).
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    expect([code, err]).toEqual([
      expect.any(Number),
      expect.stringContaining('is not the one that the join command names'),
    ]);
    expect(code).not.toBe(0);
  });

  it('says when the token is none', async () => {
    const { server, hash } = await asPrinted();
    const { err } = await join(...grpc, '--hub-token', 'nonsense', ...server, ...hash);
    expect(err).toContain('the hub does not accept the token');
  });

  it('prepares a cluster that knows the gRPC server and nothing else of the hub', async () => {
    const { token, server, hash } = await asPrinted();
    const { code, err } = await join(...grpc, ...token, ...server, ...hash);
    expect([code, err]).toEqual([0, expect.any(String)]);
    const { client } = world.planes.managed;
    const { data } = await client.resource(secrets).get(`${NamespaceName.Agent}/bootstrap-hub-kubeconfig`);
    expect(Object.keys(data ?? {}).toSorted()).toEqual(['cluster-name', 'config.yaml']);
    expect(parse(atob(data?.['config.yaml'] ?? ''))).toEqual({
      url: address,
      caData: expect.any(String),
      token: token[1],
    });
    const { spec } = await client.resource(klusterlets).get('klusterlet');
    expect(spec?.registrationConfiguration?.registrationDriver).toEqual({ authType: 'grpc' });
  });

  it('keeps the server, its CA and the API server when it is repeated with a token alone', async () => {
    const { token, server, hash } = await asPrinted();
    const api = ['--hub-apiserver', 'https://hub:6443', '--hub-ca-data', btoa(world.planes.hub.ca)];
    expect(await join(...grpc, ...token, ...server, ...hash, ...api)).toMatchObject({ code: 0 });
    const handle = world.planes.managed.client.resource(secrets);
    const stored = async () => (await handle.get(`${NamespaceName.Agent}/bootstrap-hub-kubeconfig`)).data;
    const before = await stored();
    expect(await join(...token)).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(before);
  });

  it('prefers the CA that a named hub publishes to a stored one, and goes on with that where the hub cannot be read', async () => {
    const { token, server, hash } = await asPrinted();
    const api = ['--hub-apiserver', 'https://hub:6443', '--hub-ca-data', btoa(world.planes.hub.ca)];
    expect(await join(...grpc, ...token, ...server, ...hash, ...api)).toMatchObject({ code: 0 });
    const handle = world.planes.managed.client.resource(secrets);
    const key = `${NamespaceName.Agent}/bootstrap-hub-kubeconfig`;
    const config = async () => atob((await handle.get(key)).data?.['config.yaml'] ?? '');
    const before = parse(await config());
    const renewed = (await config()).replace(before.caData, btoa(world.planes.third.ca));
    await handle.patch(key, { type: 'merge', body: { data: { 'config.yaml': btoa(renewed) } } });
    expect(await join(...grpc, ...token, ...server, ...api)).toMatchObject({ code: 0 });
    const pems = [parse(await config()).caData, before.caData].map((caData) => atob(caData).trim());
    expect(pems[0]).toBe(pems[1]);
    expect(await join(...grpc, ...token, ...server, '--hub-apiserver', 'https://elsewhere')).toMatchObject({ code: 0 });
    expect(atob(parse(await config()).caData).trim()).toBe(pems[1]);
  });

  it.each([[], ['--singleton']])(
    'gives agents the flags that OCM gives them %s [grpc-cloudevents 26.7-66]',
    async (...mode) => {
      const { token, server, hash } = await asPrinted();
      const { code, err } = await join(...grpc, ...token, ...server, ...hash, ...mode);
      expect([code, err]).toEqual([0, expect.any(String)]);
      const { client } = world.planes.managed;
      const { data } = await client.resource(configMaps).get(`${NamespaceName.Agent}/klusterlet-options`);
      expect(data).toMatchObject({
        FLOTILLA_REGISTRATION_AUTH: 'grpc',
        FLOTILLA_GRPC_BOOTSTRAP_CONFIG: '/spoke/bootstrap/config.yaml',
        FLOTILLA_GRPC_CONFIG: '/spoke/hub-kubeconfig/config.yaml',
        FLOTILLA_WORKLOAD_SOURCE_DRIVER: 'grpc',
        FLOTILLA_WORKLOAD_SOURCE_CONFIG: '/spoke/hub-kubeconfig/config.yaml',
      });
    },
  );

  it('fails in the check of the certificate with a CA that did not sign it', async () => {
    const { token, server } = await asPrinted();
    const directory = mkdtempSync(join_(tmpdir(), 'flotilla-grpc-'));
    const file = join_(directory, 'other.pem');
    writeFileSync(file, world.planes.third.ca);
    const { code, err } = await join(...grpc, ...token, ...server, '--grpc-ca-file', file);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('"certificate of the gRPC server" failed: the certificate of the gRPC server localhost:'),
    ]);
    rmSync(directory, { recursive: true });
  });
});

describe('flotilla token create --registration-auth grpc', () => {
  it('prints the commands for clusters that reach the gRPC server only', async () => {
    const { out, err } = await tokenCreate('--print-register-command', '--print-join-command');
    const [register, join, ...rest] = out.split('\n');
    const form = (text: string) =>
      new RegExp(`^${text.replaceAll('HASH', 'sha256:\\w{64}').replace('TOKEN', '\\w{6}\\.\\w{16}')}$`);
    expect(register).toMatch(
      form(`flotilla register ${address} --token TOKEN --discovery-token-ca-cert-hash HASH --registration-auth grpc`),
    );
    expect(join).toMatch(
      form(
        `flotilla join --hub-token TOKEN --registration-auth grpc --grpc-server ${address} --grpc-ca-hash HASH --cluster-name <cluster_name>`,
      ),
    );
    expect([rest, err]).toEqual([[''], expect.stringContaining(`Clusters on other machines cannot reach ${address}`)]);
    const value = JSON.parse((await tokenCreate('-o', 'json', '--cluster-name', 'cluster2')).out);
    expect(value.register).toMatch(/--registration-auth grpc --cluster-name cluster2$/);
  });

  it('says what to do on a hub without a gRPC server', async () => {
    await world.flotilla(['init', '--kubeconfig', 'managed']);
    const flags = ['--kubeconfig', 'managed', '--registration-auth', 'grpc', '--print-register-command'];
    expect(await world.flotilla(['token', 'create', ...flags])).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/this hub has no gRPC server[\s\S]*--registration-drivers csr,grpc --grpc-server/),
    });
  });
});

describe('flotilla register --registration-auth grpc', () => {
  const register = (target: string, ...flags: string[]) => {
    const auth = ['--registration-auth', 'grpc', '--cluster-name', 'cluster3', '--kubeconfig', 'third', '--dry-run'];
    return world.flotilla(['register', target, ...auth, ...flags]);
  };
  const printed = async () => {
    const { 'hub-token': token, 'grpc-ca-hashes': hashes } = JSON.parse((await tokenCreate('-o', 'json')).out);
    return { token: ['--token', token], hash: ['--discovery-token-ca-cert-hash', hashes.join(',')] };
  };

  it('verifies the gRPC server by the hash, and passes its checks', async () => {
    const { token, hash } = await printed();
    const { code, out, err } = await register(address, ...token, ...hash, '-o', 'json');
    expect([code, err]).toEqual([0, expect.any(String)]);
    const { passed, checks } = JSON.parse(out);
    expect(passed).toBe(true);
    expect(checks).toContainEqual({ check: 'certificate of the gRPC server', status: 'passed' });
  });

  it.each<[string, (given: { token: string[]; hash: string[] }) => string[], string]>([
    [
      'another hash',
      ({ token }) => [address, ...token, '--discovery-token-ca-cert-hash', `sha256:${'0'.repeat(64)}`],
      '(--discovery-token-ca-cert-hash), so the token was not sent',
    ],
    ['no hash', ({ token }) => [address, ...token], '--discovery-token-ca-cert-hash is missing'],
    [
      'no verification',
      ({ token }) => [address, ...token, '--discovery-token-unsafe-skip-ca-verification'],
      'A gRPC server publishes nothing that the token signs',
    ],
    ['a URL', ({ token, hash }) => ['https://hub:1', ...token, ...hash], 'the address https://hub:1 is not host:port'],
    [
      'a proxy',
      ({ token, hash }) => [address, ...token, ...hash, '--proxy-server-address', 'http://proxy:3128'],
      '--proxy-server-address has no effect with --registration-auth grpc',
    ],
  ])('refuses %s', async (_, argumentsOf, message) => {
    const [target = '', ...flags] = argumentsOf(await printed());
    const { code, err } = await register(target, ...flags);
    expect([code === 0, err]).toEqual([false, expect.stringContaining(message)]);
  });

  it('keeps how the cluster registers when it is repeated without the flag, and asks about nothing with --yes', async () => {
    const { token, hash } = await printed();
    const flags = [...token, ...hash, '--cluster-name', 'cluster3', '--kubeconfig', 'third'];
    const repeated = ['register', address, ...flags];
    expect(await world.flotilla([...repeated, '--registration-auth', 'grpc'])).toMatchObject({ code: 0 });
    const ask = async (question: string) => {
      throw new Error(question);
    };
    const { code, err } = await world.flotilla([...repeated, '--cert-expiration-seconds', '7200', '--yes'], { ask });
    expect([code, err]).toEqual([0, expect.not.stringContaining('registrationDriver')]);
    const { spec } = await world.planes.third.client.resource(klusterlets).get('klusterlet');
    expect(spec?.registrationConfiguration).toMatchObject({
      registrationDriver: { authType: 'grpc' },
      clientCertExpirationSeconds: 7200,
    });
  });
});
