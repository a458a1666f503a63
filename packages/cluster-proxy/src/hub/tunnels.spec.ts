import { type Duplex, duplexPair } from 'node:stream';
import { realClock, silentLogger } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { serveTunnel } from '../tunnel/tunnel-server.ts';
import { Tunnels } from './tunnels.ts';

it('ends all tunnels of a cluster that is denied, also one that was replaced and still answers', async () => {
  const tunnels = new Tunnels(realClock, silentLogger);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const answer = () => {
    begin();
    return new Promise<never>(() => undefined);
  };
  const connect = (cluster: string): Duplex => {
    const [hub, agent] = duplexPair();
    serveTunnel(agent, { member: { request: answer, upgrade: answer }, clock: realClock, log: silentLogger });
    tunnels.add(cluster, hub);
    return hub;
  };
  const replaced = connect('a');
  const user = { name: 'alice', groups: [], extra: {} };
  const { signal } = new AbortController();
  const asked = { user, method: 'GET', path: '/', headers: [], signal, protocol: 'websocket' } as const;
  const ended = expect(tunnels.find('a')?.upgrade(asked)).rejects.toThrow('was lost');
  await begun;
  const current = connect('a');
  const other = connect('b');
  tunnels.destroy('a');
  await ended;
  await expect.poll(() => [replaced.destroyed, current.destroyed]).toEqual([true, true]);
  expect(other.destroyed).toBe(false);
  tunnels.close();
});
