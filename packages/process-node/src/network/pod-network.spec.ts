import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { realClock } from '@flotilla/kube';
import { services } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { NodeAddresses } from '../addresses/node-addresses.ts';
import { isReady, startTestNode, type TestNode } from '../fixtures/test-node.ts';
import type { ProcessNodeOptions } from '../options.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import { networkBase } from './network-base.ts';
import { devicePrefix } from './pod-network.ts';

/** Serves its name on all addresses, as programs do that have a pod of their own. */
const server = (name: string, lines = '') =>
  `exec ${process.execPath} -e "const { createServer } = require('http'); createServer((_, answer) => answer.end('${name}')).listen(8080); ${lines}"`;

/** Fetches within a pod. */
const fetched = (url: string) => [process.execPath, '-e', `fetch('${url}').then((a) => a.text()).then(console.log)`];

/** Devices of the machine for pods with addresses of this kind. */
const devicesOf = async (address: string) =>
  (await readdir('/sys/class/net')).filter((name) => name.startsWith(devicePrefix(address)));
const eventually = <T>(read: () => T | Promise<T>) => vi.waitFor(read, { timeout: 15_000, interval: 50 });

describe.runIf(process.getuid?.() === 0)('pods with a network of their own', () => {
  let test: TestNode;
  beforeAll(async () => {
    test = await startTestNode({ network: 'namespace' });
    for (const name of ['one', 'two']) {
      const readinessProbe = { httpGet: { port: 8080 }, periodSeconds: 1 };
      await test.create(name, { main: { args: [server(name)], readinessProbe } });
    }
  });
  afterAll(() => test[Symbol.asyncDispose]());

  const addressOf = async (name: string) => (await test.podWhen(name, isReady)).status?.podIP ?? '';
  const run = async (name: string, command: readonly string[], spec = {}) => {
    const [program, ...args] = command.map((part) => `'${part.replaceAll("'", `'\\''`)}'`);
    await test.create(name, { restartPolicy: 'Never', ...spec, main: { args: [[program, ...args].join(' ')] } });
    await test.podWhen(name, ({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed');
    return (await test.logOf(name)).trim();
  };

  it('listen at the same port of all addresses, and answer the machine and one another', async () => {
    expect(test.node.network).toBe('namespace');
    const [one, two] = [await addressOf('one'), await addressOf('two')];
    expect(await (await fetch(`http://${one}:8080`)).text()).toBe('one');
    expect(await (await fetch(`http://${two}:8080`)).text()).toBe('two');
    expect(await run('ask', fetched(`http://${two}:8080`))).toBe('two');
  });

  it('have a loopback of their own, from which only the API server of the machine is reached', async () => {
    const { hostname, port } = new URL(test.plane.server);
    expect(hostname).toBe('127.0.0.1');
    const anonymous = [
      process.execPath,
      '-e',
      `process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0; fetch('https://127.0.0.1:${port}/version').then((a) => console.log(a.status))`,
    ];
    expect(await run('version', anonymous)).toMatch(/\b(200|401|403)$/);
    const own = `require('http').createServer((_, answer) => answer.end('own')).listen(8081, '127.0.0.1', async () => {
      console.log(await (await fetch('http://127.0.0.1:8081')).text()); process.exit(); })`;
    expect(await run('own', [process.execPath, '-e', own])).toBe('own');
  });

  it('are reached by a load balancer, from the machine and from pods', async () => {
    const handle = test.plane.client.resource(services);
    const ports = [{ port: 80, targetPort: 8080 }];
    await handle.create({
      metadata: { namespace: 'default', name: 'two' },
      spec: { type: 'LoadBalancer', selector: { app: 'two' }, ports },
    });
    const balancer = await eventually(async () => {
      const ip = (await handle.get('default/two')).status?.loadBalancer?.ingress?.[0]?.ip;
      expect(ip).toBeDefined();
      expect(await (await fetch(`http://${ip}`)).text()).toBe('two');
      return ip;
    });
    expect(await run('by-balancer', fetched(`http://${balancer}`))).toBe('two');
  });

  it('share that of the machine with hostNetwork', async () => {
    const devices = ['cat', '/proc/net/dev'];
    const [own = ''] = await devicesOf(await addressOf('one'));
    expect(own).not.toBe('');
    expect(await run('isolated', devices)).not.toContain(own);
    expect(await run('shared', devices, { hostNetwork: true })).toContain(own);
  });

  it('run a command of a probe in their network', async () => {
    const command = [process.execPath, '-e', "fetch('http://127.0.0.1:8080').catch(() => process.exit(1))"];
    const readinessProbe = { exec: { command }, periodSeconds: 1, timeoutSeconds: 10 };
    await test.create('probed', { main: { args: [server('probed')], readinessProbe } });
    await test.podWhen('probed', isReady);
  });
});

describe.runIf(process.getuid?.() === 0)('the network of a pod', () => {
  it('is gone with the pod', async () => {
    await using test = await startTestNode({ network: 'namespace' });
    const devices = () => devicesOf(test.node.address.replace(/\.\d+$/, ''));
    await test.create('short', { restartPolicy: 'Never', main: { args: ['exit 0'] } });
    await test.create('long', { main: { args: ['while :; do sleep 0.1; done'] } });
    await test.podWhen('short', ({ status }) => status?.phase === 'Succeeded');
    await test.podWhen('long', isReady);
    await eventually(async () => expect(await devices()).toHaveLength(1));
    await test.node.close();
    await eventually(async () => expect(await devices()).toEqual([]));
  });

  it('is gone with a node that is killed', async () => {
    const address = '198.19.255.254';
    const script = `
      import { PodNetwork } from '${new URL('./pod-network.ts', import.meta.url)}';
      const host = { watchdog: { watch() {}, forget() {} }, clock: { schedule: () => () => {} } };
      await PodNetwork.start({ gateway: '198.19.255.1', servers: [] }, '${address}', host);
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const node = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: [...stdio] });
    onTestFinished(() => void node.kill('SIGKILL'));
    await once(node.stdout, 'data');
    expect(await devicesOf(address)).toHaveLength(1);
    node.kill('SIGKILL');
    await eventually(async () => expect(await devicesOf(address)).toEqual([]));
  });
});

it.each([
  ['without addresses that are routed', '127.64.0', /127\.64\.0\.1 cannot be the gateway of pods/],
  ['by a machine that refuses it', '999.0.0', /the pod gets no network of its own: .+/],
])('is not given %s, and the error says why', async (_, network, message) => {
  const watchdog = startWatchdog();
  const options = { network: 'namespace', server: 'https://127.0.0.1:6443' } as ProcessNodeOptions;
  const host = { watchdog, clock: realClock };
  await expect(networkBase(options, new NodeAddresses(network), host)).rejects.toThrow(message);
  await watchdog.close();
});
