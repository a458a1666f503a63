import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';

const limits = { idleConnectionMs: 30_000, maxPendingPerAddress: 3, maxPending: 5 };

function play() {
  const clock = new FakeClock();
  const connections = new Connections(clock, limits);
  const ended: string[] = [];
  let port = 0;
  const open = (address: string) => {
    port += 1;
    const peer = `${address}:${port}`;
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: address,
      remotePort: port,
      destroy() {
        ended.push(peer);
        socket.emit('close');
      },
    });
    connections.opened(socket as unknown as Socket);
    return { peer, close: () => socket.emit('close') };
  };
  return { clock, connections, ended, open };
}

describe('a connection', () => {
  it('ends if no call shows whose it is', async () => {
    const { clock, connections, ended, open } = play();
    const silent = open('10.0.0.1');
    const known = open('10.0.0.1');
    connections.claim(known.peer, { party: 'cluster a', maxConnections: 2 });
    await clock.advance(30_000);
    expect(ended).toEqual([silent.peer]);
    expect(connections.pending).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('takes the place of an older one of the same address that shows nobody', () => {
    const { ended, open } = play();
    const [first] = [1, 2, 3].map(() => open('10.0.0.1'));
    open('10.0.0.2');
    open('10.0.0.1');
    expect(ended).toEqual([first?.peer]);
  });

  it('counts for the /64 of its address', () => {
    const { ended, open } = play();
    const [first] = [1, 2, 3, 4].map((host) => open(`2001:db8::${host}`));
    expect(ended).toEqual([first?.peer]);
  });

  it('takes the place of one of the address that has most of them, if there are too many in all', () => {
    const { connections, ended, open } = play();
    const [first] = ['10.0.0.1', '10.0.0.1', '10.0.0.1'].map(open);
    for (const address of ['10.0.0.2', '10.0.0.3', '10.0.0.4']) open(address);
    expect(ended).toEqual([first?.peer]);
    expect(connections.pending).toBe(5);
  });

  it('is refused to a party that has too many, and not to another one', () => {
    const { connections, open } = play();
    const of = (party: string) => ({ party, maxConnections: 2 });
    const [first, second, third] = [1, 2, 3].map((index) => open(`10.0.0.${index}`));
    const claim = (connection: { peer: string } | undefined, party: string) =>
      connections.claim(connection?.peer ?? '', of(party));
    claim(first, 'cluster a');
    claim(first, 'cluster a');
    claim(second, 'cluster a');
    expect(() => claim(third, 'cluster a')).toThrow('cluster a has 2 connections open, its limit "connections"');
    claim(third, 'cluster b');
    first?.close();
    claim(open('10.0.0.1'), 'cluster a');
  });
});
