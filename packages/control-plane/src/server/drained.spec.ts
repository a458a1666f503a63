import { EventEmitter } from 'node:events';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { drained } from './drained.ts';

const slowReaderMs = 60_000;
const listenersOf = (response: EventEmitter) => response.eventNames().length;

describe('waiting for a reader', () => {
  it.each(['drain', 'close'])('ends with %s and leaves no listeners behind', async (event) => {
    const response = new EventEmitter();
    const waiting = drained(response, { clock: new FakeClock(), slowReaderMs });
    expect(listenersOf(response)).toBeGreaterThan(0);
    response.emit(event);
    await waiting;
    expect(listenersOf(response)).toBe(0);
  });

  it('gives up on a reader that takes nothing for a minute', async () => {
    const clock = new FakeClock();
    const response = new EventEmitter();
    const waiting = expect(drained(response, { clock, slowReaderMs })).rejects.toThrow('The operation was aborted');
    await clock.advance(60_000);
    await waiting;
    expect(listenersOf(response)).toBe(0);
  });
});
