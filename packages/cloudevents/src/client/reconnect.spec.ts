import { getEventListeners } from 'node:events';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { ReconnectGate } from './reconnect.ts';

it('leaves nothing on the signal of a stream after an attempt', async () => {
  const clock = new FakeClock();
  const gate = new ReconnectGate(clock, () => 0.5, { baseMs: 100, maxMs: 1000 });
  const { signal } = new AbortController();
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const waited = gate.wait(signal);
    await clock.advance(1000);
    await waited;
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('ends the wait when the stream is closed', async () => {
  const end = new AbortController();
  const gate = new ReconnectGate(new FakeClock(), () => 0.5, { baseMs: 100, maxMs: 1000 });
  const waited = gate.wait(end.signal);
  end.abort();
  await waited;
});
