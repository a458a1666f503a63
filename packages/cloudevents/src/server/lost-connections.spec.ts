import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type KubeError, staticAccess } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { leaseCodec } from '../codecs/codecs.ts';
import { dataTypes } from '../event/data-type.ts';
import { defaultLimits } from '../limits.ts';
import { serveBroker } from './fixtures/served-broker.ts';

const cluster1Leases = { clusterName: 'cluster1', dataType: dataTypes.leases };
const quick = { baseMs: 20, maxMs: 20 };

/** A relay that can stop forwarding without closing anything, as a dead link does. */
async function startRelay(targetPort: number) {
  const sockets = new Set<Socket>();
  let isDark = false;
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => !isDark && to.write(data));
      from.on('error', () => {});
      from.on('close', () => !isDark && to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    goDark: () => (isDark = true),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a connection that is dead without a word', () => {
  it('is noticed by the server within 30 s, which then has no streams of it', async () => {
    expect(defaultLimits.pingIntervalMs + defaultLimits.pingTimeoutMs).toBeLessThanOrEqual(30_000);
    await using served = await serveBroker({ server: { limits: { pingIntervalMs: 100, pingTimeoutMs: 100 } } });
    using relay = await startRelay(served.server.port);
    const access = staticAccess(served.access({ server: `https://127.0.0.1:${relay.port}` }));
    const client = served.client({ access });
    await new Promise<void>((onSubscribed) => client.subscribe(cluster1Leases, { onSubscribed, onEvent() {} }));
    expect(served.broker.subscribers).toBe(1);
    relay.goDark();
    await expect.poll(() => served.broker.subscribers, { timeout: 10_000 }).toBe(0);
  });

  it('is noticed by the client when heartbeats stay away', async () => {
    await using served = await serveBroker({ heartbeatMs: 50 });
    using relay = await startRelay(served.server.port);
    const access = staticAccess(served.access({ server: `https://127.0.0.1:${relay.port}` }));
    const client = served.client({ access, heartbeatTimeoutMs: 300, reconnect: quick });
    const errors: KubeError[] = [];
    let beats = 0;
    client.subscribe(cluster1Leases, {
      onSubscribed() {},
      onEvent() {},
      onHeartbeat: () => (beats += 1),
      onError: (error) => errors.push(error),
    });
    await expect.poll(() => beats).toBeGreaterThan(0);
    relay.goDark();
    await expect.poll(() => errors[0]?.message, { timeout: 10_000 }).toContain('no heartbeat received');
  });
});

describe('a connection that is old', () => {
  it('ends, so that clients spread over the replicas, and its streams are opened again', async () => {
    await using served = await serveBroker({ server: { limits: { maxConnectionAgeMs: 300 } } });
    const client = served.client({ reconnect: quick });
    let subscribed = 0;
    const names: (string | undefined)[] = [];
    client.subscribe(cluster1Leases, {
      onSubscribed: () => (subscribed += 1),
      onEvent: (event) => names.push(leaseCodec.decode(event).metadata?.name),
    });
    await expect.poll(() => subscribed).toBe(1);
    await expect.poll(() => subscribed, { timeout: 20_000 }).toBeGreaterThan(1);
    const lease = { metadata: { name: 'after', namespace: 'cluster1', uid: 'u', resourceVersion: '1' } };
    const purpose = { source: 'kube', now: 0, subresource: 'spec', action: 'update_request' } as const;
    await expect
      .poll(() => {
        served.broker.send(dataTypes.leases, leaseCodec.encode(lease, purpose));
        return names;
      })
      .toContain('after');
  });
});
