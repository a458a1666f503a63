import { describe, expect, it } from 'vitest';
import { SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';
import { startProxy } from './fixtures/network.ts';
import { createAuthority } from './fixtures/pki.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/api' } as const;

/** A server that only the proxy can find. */
async function hidden() {
  const tls = await harness().authority.issue({ names: ['hub.invalid'] });
  const server = await SpecServer.start({ tls, handler: () => ({ body: 'through' }) });
  const access = server.access({ server: 'https://hub.invalid:6443', ca: harness().authority.ca });
  return { server, access };
}

describe('through a proxy', () => {
  it('named by the environment, requests reach the server, over HTTP/2', async () => {
    const { server, access } = await hidden();
    await using proxy = await startProxy({ targetPort: server.port });
    await using _server = server;
    const transport = harness().connect(access, { env: { HTTPS_PROXY: `127.0.0.1:${proxy.port}` } });
    expect((await transport.request(get)).body).toBe('through');
    expect(proxy.asked).toEqual(['hub.invalid:6443']);
    expect(server.seen[0]?.httpVersion).toBe('2.0');
  });

  it('named by the kubeconfig, with a password, before the one of the environment', async () => {
    const { server, access } = await hidden();
    await using proxy = await startProxy({ targetPort: server.port, credentials: 'ann:p@ss' });
    await using _server = server;
    const transport = harness().connect(
      { ...access, proxyUrl: `http://ann:p%40ss@127.0.0.1:${proxy.port}` },
      { env: { HTTPS_PROXY: 'http://127.0.0.1:9' } },
    );
    expect((await transport.request(get)).body).toBe('through');
  });

  it('that itself speaks TLS with a CA of its own', async () => {
    const { server, access } = await hidden();
    const proxyAuthority = await createAuthority('proxy');
    await using proxy = await startProxy({ targetPort: server.port, tls: await proxyAuthority.issue() });
    await using _server = server;
    const proxyUrl = `https://127.0.0.1:${proxy.port}`;
    const trusted = harness().connect({ ...access, proxyUrl, proxyCa: proxyAuthority.ca });
    expect((await trusted.request(get)).body).toBe('through');
    // As client-go has it: kubeconfigs have one field for both.
    const bundled = harness().connect({ ...access, proxyUrl, ca: access.ca + proxyAuthority.ca });
    expect((await bundled.request(get)).body).toBe('through');
    const named = harness().connect(access, { env: { HTTPS_PROXY: proxyUrl }, proxyCa: proxyAuthority.ca });
    expect((await named.request(get)).body).toBe('through');
    // Another bundle for the proxy does not take away what the kubeconfig has for both.
    const both = { ...access, proxyUrl, ca: access.ca + proxyAuthority.ca, proxyCa: harness().authority.ca };
    expect((await harness().connect(both).request(get)).body).toBe('through');
    const untrusted = harness().connect({ ...access, proxyUrl });
    const error = await failure(untrusted.request(get));
    expect(error.code).toBe('Tls');
    expect(error.message).toContain(`proxy 127.0.0.1:${proxy.port}`);
  });

  it('whose own certificate is in the bundle, and not the one of its issuer', async () => {
    const { server, access } = await hidden();
    const tls = await (await createAuthority('proxy')).issue();
    await using proxy = await startProxy({ targetPort: server.port, tls });
    await using _server = server;
    const proxyUrl = `https://127.0.0.1:${proxy.port}`;
    const pinned = harness().connect({ ...access, proxyUrl, ca: access.ca + tls.certificate });
    expect((await pinned.request(get)).body).toBe('through');
  });

  it('go all requests but those to hosts of NO_PROXY', async () => {
    const { server, access } = await hidden();
    await using proxy = await startProxy({ targetPort: server.port });
    await using _server = server;
    const env = { HTTPS_PROXY: `127.0.0.1:${proxy.port}`, NO_PROXY: 'elsewhere,.invalid:6443' };
    const direct = harness().connect(access, { env, retry: { maxRetries: 0 } });
    expect(await failure(direct.request(get))).toMatchObject({ code: 'Unavailable' });
    expect(proxy.asked).toEqual([]);
    const otherPort = { ...env, NO_PROXY: 'elsewhere,.invalid:443' };
    expect((await harness().connect(access, { env: otherPort }).request(get)).body).toBe('through');
  });

  it('to a server that speaks HTTP/1.1 only', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol: 'http/1.1',
      handler: () => ({ body: 'old' }),
    });
    await using proxy = await startProxy({ targetPort: server.port });
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    const transport = harness().connect(server.access({ ca: harness().authority.ca, proxyUrl }));
    const answers = await Promise.all([transport.request(get), transport.request(get)]);
    expect(answers.map(({ body }) => body)).toEqual(['old', 'old']);
  });
});

describe('a proxy that wants headers', () => {
  it('gets them with CONNECT', async () => {
    const { server, access } = await hidden();
    await using _server = server;
    await using proxy = await startProxy({ targetPort: server.port, credentials: 'ann:secret' });
    const header = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    const transport = harness().connect({ ...access, proxyUrl, proxyHeaders: { 'Proxy-Authorization': header } });
    await transport.request(get);
    expect(proxy.asked).toEqual(['hub.invalid:6443']);
  });
});

describe('a proxy that does not let us through', () => {
  const retry = { maxRetries: 0 };

  it('for want of a password says where to put it', async () => {
    const { server, access } = await hidden();
    await using proxy = await startProxy({ targetPort: server.port, credentials: 'ann:secret' });
    await using _server = server;
    const transport = harness().connect({ ...access, proxyUrl: `http://127.0.0.1:${proxy.port}` }, { retry });
    const error = await failure(transport.request(get));
    expect(error.message).toContain('answered 407 to CONNECT hub.invalid:6443');
    expect(error.hint).toContain("Give the proxy's user and password in its URL");
  });

  it('for another reason says which', async () => {
    const { server, access } = await hidden();
    await using proxy = await startProxy({ targetPort: server.port, refuseWith: 403 });
    await using _server = server;
    const transport = harness().connect({ ...access, proxyUrl: `http://127.0.0.1:${proxy.port}` }, { retry });
    const error = await failure(transport.request(get));
    expect(error).toMatchObject({ code: 'Unavailable', hint: expect.stringContaining('allows hub.invalid:6443') });
  });

  it('because its address is wrong says which setting, without showing its password', async () => {
    const { server, access } = await hidden();
    await using _server = server;
    for (const proxyUrl of ['socks4://ann:secret@proxy:1', 'http://ann:secret@:::', 'socks5:///ann:secret']) {
      const error = await failure(
        harness()
          .connect({ ...access, proxyUrl })
          .request(get),
      );
      expect(error).toMatchObject({ code: 'Config', message: expect.stringContaining('proxy-url of spec') });
      expect(error.message + error.hint).not.toContain('secret');
    }
  });
});
