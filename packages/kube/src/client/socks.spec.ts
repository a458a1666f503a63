import { describe, expect, it } from 'vitest';
import { type SocksProxyOptions, startSocksProxy } from '../../fixtures/socks-proxy.ts';
import { SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/api' } as const;
const retry = { maxRetries: 0 };

/** A server that only the proxy can find, and the proxy. */
async function hidden(options: Omit<SocksProxyOptions, 'targetPort'> = {}, name = 'hub.invalid') {
  const tls = await harness().authority.issue({ names: [name] });
  const server = await SpecServer.start({ tls, handler: () => ({ body: 'through' }) });
  const proxy = await startSocksProxy({ ...options, targetPort: server.port });
  return {
    server,
    proxy,
    at: `127.0.0.1:${proxy.port}`,
    access: server.access({ server: `https://${name}:6443`, ca: harness().authority.ca }),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('through a SOCKS proxy', () => {
  it.each(['socks5', 'socks5h'])('named by the kubeconfig as %s, which looks the name up', async (scheme) => {
    await using network = await hidden();
    const transport = harness().connect({ ...network.access, proxyUrl: `${scheme}://${network.at}` });
    expect((await transport.request(get)).body).toBe('through');
    expect(network.proxy.asked).toEqual(['hub.invalid:6443']);
    expect(network.server.seen[0]?.httpVersion).toBe('2.0');
  });

  it('named by the environment, but to what NO_PROXY names', async () => {
    await using network = await hidden();
    const env = { HTTPS_PROXY: `socks5://${network.at}` };
    expect((await harness().connect(network.access, { env }).request(get)).body).toBe('through');
    const direct = harness().connect(network.access, { env: { ...env, NO_PROXY: '.invalid' }, retry });
    expect(await failure(direct.request(get))).toMatchObject({ code: 'Unavailable' });
    expect(network.proxy.asked).toHaveLength(1);
  });

  it('with a password', async () => {
    await using network = await hidden({ credentials: 'ann:p@ss' });
    const transport = harness().connect({ ...network.access, proxyUrl: `socks5://ann:p%40ss@${network.at}` });
    expect((await transport.request(get)).body).toBe('through');
  });

  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['fd00::7', '[fd00::7]'],
  ])('to an address: %s', async (address, host) => {
    await using server = await SpecServer.start({ handler: () => ({ body: 'plain' }) });
    await using proxy = await startSocksProxy({ targetPort: server.port });
    const proxyUrl = `socks5://127.0.0.1:${proxy.port}`;
    const transport = harness().connect(server.access({ server: `http://${host}:8080`, proxyUrl }));
    expect((await transport.request(get)).body).toBe('plain');
    expect(proxy.asked).toEqual([`${address.includes(':') ? host : address}:8080`]);
  });
});

describe('a SOCKS proxy that does not let us through', () => {
  it.each<[string, Omit<SocksProxyOptions, 'targetPort'>, string, RegExp]>([
    ['for want of a password', { credentials: 'ann:secret' }, '', /user and password in its URL/],
    ['because the password is wrong', { credentials: 'ann:secret' }, 'ann:hidden@', /user and password in its URL/],
    ['by its rules', { refuseWith: 2 }, '', /allows hub\.invalid:6443/],
    ['since it cannot find the server', { refuseWith: 4 }, '', /allows hub\.invalid:6443/],
  ])('%s says what to do', async (_, options, credentials, hint) => {
    await using network = await hidden(options);
    const access = { ...network.access, proxyUrl: `socks5://${credentials}${network.at}` };
    const error = await failure(harness().connect(access, { retry }).request(get));
    expect(error).toMatchObject({ code: 'Unavailable', hint: expect.stringMatching(hint) });
    expect(error.message).toContain(`SOCKS proxy ${network.at} does not connect to hub.invalid:6443`);
    expect(error.message + error.hint).not.toContain('hidden@');
  });

  it('as there is none is named in the error', async () => {
    await using network = await hidden();
    const access = { ...network.access, proxyUrl: 'socks5://127.0.0.1:9' };
    const error = await failure(harness().connect(access, { retry }).request(get));
    expect(error).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('proxy 127.0.0.1:9') });
  });

  it('and says nothing is given up in time', async () => {
    await using network = await hidden({ mute: true });
    const access = { ...network.access, proxyUrl: `socks5://${network.at}` };
    const error = await failure(harness().connect(access, { retry, connectTimeoutMs: 50 }).request(get));
    expect(error).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('within 50 ms') });
  });
});
