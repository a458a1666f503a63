import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import type { CloudEvent } from '../event/cloud-event.ts';
import { callLimits } from '../limits.ts';
import { RecentEvents } from './recent-events.ts';

const event = (id: string, clustername = 'c1'): CloudEvent => ({
  id,
  source: clustername,
  type: 'x',
  extensions: { clustername },
});

function play() {
  const clock = new FakeClock();
  const recent = new RecentEvents(clock);
  const handled: string[] = [];
  const publish = (each: CloudEvent, error?: Error, sender = 'a') =>
    recent.once(sender, each, async () => {
      handled.push(each.id);
      if (error) throw error;
      return { ...each, id: `answer to ${each.id}` };
    });
  return { clock, recent, handled, publish };
}

describe('an event that is published again', () => {
  it('is handled once, with the same answer, also while it is being handled', async () => {
    const { publish, handled } = play();
    const [first, second] = await Promise.all([publish(event('a')), publish(event('a'))]);
    expect(second).toBe(first);
    expect(await publish(event('a'))).toBe(first);
    expect(handled).toEqual(['a']);
  });

  it('is handled again if it failed', async () => {
    const { publish, handled } = play();
    await expect(publish(event('a'), new Error('away'))).rejects.toThrow('away');
    await publish(event('a'));
    expect(handled).toEqual(['a', 'a']);
  });

  it('is another one with another id, of another cluster, or without an id', async () => {
    const { publish, handled } = play();
    for (const each of [event('a'), event('b'), event('a', 'c2'), event(''), event('')]) await publish(each);
    expect(handled).toEqual(['a', 'b', 'a', '', '']);
  });

  it('is forgotten after a minute, and of many the oldest is', async () => {
    const { clock, recent, publish, handled } = play();
    await publish(event('a'));
    await clock.advance(61_000);
    await publish(event('a'));
    expect(handled).toEqual(['a', 'a']);
    for (let index = 0; index < 10_050; index += 1) await publish(event(`${index}`));
    expect(recent.size).toBeLessThanOrEqual(callLimits.maxRecentEvents);
  });

  it('is known although another sender sends any number of events', async () => {
    const { recent, publish, handled, clock } = play();
    await publish(event('a'), undefined, 'honest');
    for (let index = 0; index < 5000; index += 1) await publish(event(`${index}`), undefined, 'hostile');
    await publish(event('a'), undefined, 'honest');
    expect(handled.filter((id) => id === 'a')).toEqual(['a']);
    await clock.advance(61_000);
    await publish(event('b'), undefined, 'third');
    expect(recent.size).toBe(1);
  });
});
