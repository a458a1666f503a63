import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Duplex, duplexPair, PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { KubeError, realClock, silentLogger } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import type { Member, MemberRequest } from '../member/member.ts';
import { openTunnel } from './tunnel-client.ts';
import { serveTunnel } from './tunnel-server.ts';
import { wrappedStream } from './wrapped-stream.ts';

const options = { clock: realClock, log: silentLogger };
const request: MemberRequest = {
  user: { name: 'alice, or "bob"', groups: ['a,b', 'c'], extra: { key: ['ä'] } },
  method: 'POST',
  path: '/x?y=z',
  headers: [['content-length', '0']],
  signal: new AbortController().signal,
};
const refusing: Member = {
  async request() {
    throw new KubeError('Forbidden', 'not for you', { status: 403 });
  },
  async upgrade() {
    throw new KubeError('Timeout', 'too late');
  },
};

/** All of a body. Iterating an HTTP/2 stream ends in an error of Node's, piping does not. */
const read = (body: Readable): Promise<Buffer> => buffer(body.pipe(new PassThrough()));

/** The hub's side of a tunnel to a member. */
function tunnelTo(member: Partial<Member>) {
  const [hub, agent] = duplexPair();
  serveTunnel(agent, { ...options, member: { ...refusing, ...member } });
  return openTunnel(hub, { ...options, cluster: 'a' });
}

describe('a tunnel', () => {
  it('carries a request with its user and body, and the answer', async () => {
    const tunnel = tunnelTo({
      async request({ user, path, method, body }) {
        const text = JSON.stringify({ user, path, method, body: body && String(await buffer(body)) });
        return { status: 201, headers: [['x-a', '1']], body: Readable.from([Buffer.from(text)]) };
      },
    });
    const answer = await tunnel.member.request({ ...request, body: Readable.from([Buffer.from('hello')]) });
    expect(answer.status).toBe(201);
    expect(answer.headers).toContainEqual(['x-a', '1']);
    const { user, path, method } = request;
    expect(JSON.parse(String(await read(answer.body)))).toEqual({ user, path, method, body: 'hello' });
    tunnel.destroy();
    await tunnel.closed;
  });

  it('carries another protocol in both directions, also if the request says that it has no body', async () => {
    const tunnel = tunnelTo({
      async upgrade() {
        const [near, far] = duplexPair();
        far.pipe(far);
        return { switched: true, headers: [['x-stream', 'v4']], socket: near };
      },
    });
    const answer = await tunnel.member.upgrade({ ...request, protocol: 'SPDY/3.1' });
    if (!answer.switched) throw new Error('not switched');
    const sent = randomBytes(1024 * 1024);
    answer.socket.end(sent);
    expect((await read(answer.socket)).equals(sent)).toBe(true);
    tunnel.destroy();
  });

  it('passes refusals on as a Status, and survives them', async () => {
    const tunnel = tunnelTo({});
    const refused = await tunnel.member.request(request);
    expect(refused.status).toBe(403);
    expect(JSON.parse(String(await read(refused.body)))).toMatchObject({ kind: 'Status', message: 'not for you' });
    const late = await tunnel.member.upgrade({ ...request, protocol: 'websocket' });
    expect(late).toMatchObject({ switched: false, status: 504 });
    tunnel.destroy();
    await expect(tunnel.member.request(request)).rejects.toThrow('was lost');
  });

  it('can be closed while the connection, which the agent has ended, still has something to send', async () => {
    const [hub, agent] = duplexPair();
    serveTunnel(agent, { ...options, member: refusing });
    // What it has sent never arrives.
    const slow = new Duplex({
      read: () => undefined,
      write: (chunk, encoding, done) => void hub.write(chunk, encoding, done),
      final: () => undefined,
    });
    hub.on('data', (chunk) => slow.push(chunk));
    const tunnel = openTunnel(slow, { ...options, cluster: 'a' });
    await tunnel.member.request(request);
    const ended = once(slow, 'end');
    slow.push(null);
    await ended;
    await setImmediate();
    tunnel.destroy();
    await tunnel.closed;
  });

  it('ends when the other side reads nothing and keeps asking for signs of life', async () => {
    const [near, far] = duplexPair();
    const outer = wrappedStream(near);
    const ended = once(outer, 'error');
    const frame = Buffer.alloc(1024 * 1024);
    for (let sent = 0; sent <= 17 && !outer.destroyed; sent += 1) outer.write(frame);
    expect(String((await ended)[0])).toContain('bytes unread');
    expect(near.destroyed).toBe(true);
    far.destroy();
  });

  it('has a megabyte of answers under way for each of several users, whatever the round trip takes', async () => {
    const { hub, agent, holdAgent } = linkThatHolds();
    const member = { ...refusing, request: async () => ({ status: 200, headers: [], body: fourMegabytes() }) };
    serveTunnel(agent, { ...options, member });
    const tunnel = openTunnel(hub, { ...options, cluster: 'a' });
    const users = await Promise.all([1, 2, 3].map(() => tunnel.member.request({ ...request, method: 'GET' })));
    const arrived = users.map(({ body }) => countOf(body));
    // From here on the agent does not learn what has arrived.
    holdAgent();
    await expect.poll(() => arrived.map((bytes) => bytes() >= megabyte)).toEqual([true, true, true]);
    tunnel.destroy();
    await tunnel.closed;
  });

  it('has a megabyte of requests under way for each of several users, too', async () => {
    const { hub, agent, holdHub } = linkThatHolds();
    const arrived: (() => number)[] = [];
    const answer = ({ body }: MemberRequest) => {
      if (!body) return Promise.resolve({ status: 200, headers: [], body: Readable.from([]) });
      arrived.push(countOf(body));
      return new Promise<never>(() => undefined);
    };
    serveTunnel(agent, { ...options, member: { ...refusing, request: answer } });
    const tunnel = openTunnel(hub, { ...options, cluster: 'a' });
    // By its answer the hub knows what it may have under way.
    await tunnel.member.request({ ...request, method: 'GET' });
    holdHub();
    const sent = [1, 2, 3].map(() => tunnel.member.request({ ...request, body: fourMegabytes() }));
    await expect.poll(() => arrived.map((bytes) => bytes() >= megabyte)).toEqual([true, true, true]);
    tunnel.destroy();
    for (const { status } of await Promise.allSettled(sent)) expect(status).toBe('rejected');
  });
});

const megabyte = 1024 * 1024;
const fourMegabytes = () => Readable.from([Buffer.alloc(4 * megabyte)]);

/** Reads a body, and counts what has come of it. */
function countOf(body: Readable): () => number {
  let bytes = 0;
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}

/** A connection on which one side gets nothing any more from the moment that it is held. */
function linkThatHolds() {
  const [hub, near] = duplexPair();
  const [agent, far] = duplexPair();
  const passOn = (from: Duplex, to: Duplex) => {
    let isHeld = false;
    from.on('data', (chunk) => {
      if (!isHeld) to.write(chunk);
    });
    from.on('close', () => to.destroy());
    return () => {
      isHeld = true;
    };
  };
  return { hub, agent, holdAgent: passOn(near, far), holdHub: passOn(far, near) };
}
