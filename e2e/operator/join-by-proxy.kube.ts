import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFarProxy } from './far-proxy.ts';
import { type GuideHub, startGuideHub } from './guide-hub.ts';
import { applyHelloWork } from './hello-work.ts';
import { startTinyproxy } from './tinyproxy.ts';

describe('the guides of OCM about a proxy', { timeout: 300_000 }, () => {
  let hub: GuideHub;
  beforeAll(async () => {
    hub = await startGuideHub();
  }, 400_000);
  afterAll(() => hub?.[Symbol.asyncDispose]());

  it('join through tinyproxy, where nothing else leads to the hub', async () => {
    const { server } = hub.servers.hub.access;
    const port = new URL(server).port;
    await using far = await startFarProxy();
    await using proxy = await startTinyproxy({ ports: [Number(port)], upstream: far.address });
    // The certificate of the hub has this name, and only the far proxy knows where that is.
    const hidden = `kubernetes.default.svc:${port}`;
    const command = (await hub.joinCommand('proxied')).replace(server, `https://${hidden}`);
    await hub.run(`${command} --proxy-url ${proxy.url} --context managed`);
    const byTheCommand = (await proxy.targets()).length;
    await hub.accept('proxied');
    await applyHelloWork(hub, 'proxied');
    const targets = await proxy.targets();
    expect(new Set(targets)).toEqual(new Set([hidden]));
    // Beyond what the command line asked for before it installed the agents.
    expect(targets.length).toBeGreaterThan(byTheCommand);
    // All that came to the far end came by tinyproxy.
    expect(far.targets.length).toBeLessThanOrEqual(targets.length);
    await hub.leave('proxied');
  });

  it('meet a proxy that refuses other ports', async () => {
    await using far = await startFarProxy();
    await using proxy = await startTinyproxy({ ports: [1], upstream: far.address });
    const command = await hub.joinCommand('refused');
    const { code, err } = await hub.sh(`${command} --proxy-url ${proxy.url} --context managed`);
    expect(code).not.toBe(0);
    expect(err).toMatch(/^Error: .*proxy/m);
    expect(far.targets).toEqual([]);
  });
});
