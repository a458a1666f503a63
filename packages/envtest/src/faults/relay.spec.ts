import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { realClock } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../wait.ts';
import { type Relay, startRelay } from './relay.ts';

let echo: Server;
let accepted: Socket[];
let clock: FakeClock;
let relay: Relay;
const clients: Socket[] = [];

beforeEach(async () => {
  accepted = [];
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  clock = new FakeClock();
  relay = await startRelay(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`, { clock });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await relay.close();
  for (const socket of accepted) socket.destroy();
  echo.close();
});

const dial = () => {
  const socket = connect({ port: relay.port, host: '127.0.0.1', noDelay: true });
  clients.push(socket);
  const seen = { text: '', ended: false, error: '' };
  socket.on('data', (chunk) => {
    seen.text += chunk;
  });
  socket.on('end', () => {
    seen.ended = true;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen.error = error.code ?? '';
  });
  return { socket, seen };
};
const eventually = (what: string, attempt: () => boolean) =>
  waitUntil(what, async () => attempt(), { clock: realClock, timeoutMs: 5000, intervalMs: 2 });
/** Long enough for a byte to pass the relay twice, if anything would let it. */
const letBytesPass = async () => {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
};

test('bytes and the end of a stream pass in both directions', async () => {
  const { socket, seen } = dial();
  const large = 'x'.repeat(3_000_000);
  socket.end(large);
  await eventually('all came back', () => seen.ended);
  expect(seen.text).toBe(large);
  await eventually('the relay forgets the connection', () => relay.connections === 0);
});

test('its address replaces that of the target', () => {
  expect(relay.server).toBe(`http://127.0.0.1:${relay.port}`);
});

test('a black hole holds all bytes back, keeps the connection, and delivers them when restored', async () => {
  const { socket, seen } = dial();
  socket.write('before ');
  await eventually('the first came back', () => seen.text === 'before ');
  relay.blackhole();
  socket.write('during');
  const late = dial();
  late.socket.write('late');
  await eventually('the new one is accepted', () => relay.connections === 2);
  await letBytesPass();
  expect([seen, late.seen]).toEqual([
    { text: 'before ', ended: false, error: '' },
    { text: '', ended: false, error: '' },
  ]);
  relay.restore();
  await eventually('all came back', () => seen.text === 'before during' && late.seen.text === 'late');
});

test('a black hole hides that the client hung up', async () => {
  const { socket } = dial();
  await eventually('the server has the connection', () => accepted.length === 1);
  relay.blackhole();
  socket.resetAndDestroy();
  await letBytesPass();
  expect(accepted[0]?.destroyed).toBe(false);
  relay.restore();
  await eventually('the server knows', () => accepted[0]?.destroyed ?? false);
});

test('a delay holds each byte for that long in each direction, in order', async () => {
  const { socket, seen } = dial();
  await eventually('the server has the connection', () => accepted.length === 1);
  let arrived = '';
  accepted[0]?.on('data', (chunk) => {
    arrived += chunk;
  });
  relay.delay(100);
  socket.write('slow ');
  await eventually('the relay has it', () => clock.pending === 1);
  await clock.advance(99);
  await letBytesPass();
  expect(arrived).toBe('');
  relay.delay(0);
  socket.write('fast');
  await letBytesPass();
  expect(arrived).toBe('');
  await clock.advance(1);
  await eventually('both arrived in order', () => arrived === 'slow fast');
  await eventually('and came back', () => seen.text === 'slow fast');
});

test('dropped connections are reset, and new ones pass', async () => {
  const { socket, seen } = dial();
  socket.write('x');
  await eventually('it came back', () => seen.text === 'x');
  relay.dropConnections();
  await eventually('the client sees a reset', () => seen.error === 'ECONNRESET');
  const again = dial();
  again.socket.write('y');
  await eventually('the new one passes', () => again.seen.text === 'y');
});

test('while cut, new connections are reset too', async () => {
  const first = dial();
  await eventually('it passes', () => relay.connections === 1);
  relay.cut();
  await eventually('the old one is reset', () => first.seen.error === 'ECONNRESET');
  const second = dial();
  await eventually('the new one is reset', () => second.seen.error === 'ECONNRESET');
  relay.restore();
  const third = dial();
  third.socket.write('z');
  await eventually('restored, it passes', () => third.seen.text === 'z');
});

test('a server that is gone resets the client', async () => {
  echo.close();
  await once(echo, 'close');
  const { seen } = dial();
  await eventually('the client sees a reset', () => seen.error === 'ECONNRESET');
  await eventually('the relay forgets the connection', () => relay.connections === 0);
});
