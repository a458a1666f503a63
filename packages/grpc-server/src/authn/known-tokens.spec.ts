import { KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { peerRates, strangerRates } from '../limits.ts';
import { KnownTokens } from './known-tokens.ts';

function play() {
  const clock = new FakeClock();
  const reviewed: string[] = [];
  const revoked = new Set<string>();
  let isDown = false;
  const setDown = (next: boolean) => {
    isDown = next;
  };
  const tokens = new KnownTokens(async (token) => {
    if (isDown) throw new KubeError('Unavailable', 'the API server is down');
    reviewed.push(token);
    if (!token.startsWith('good') || revoked.has(token)) return undefined;
    return { user: token, groups: [], by: { token } };
  }, clock);
  return { clock, reviewed, revoked, setDown, tokens };
}

describe('a token', () => {
  it('is reviewed once in ten seconds, valid or not', async () => {
    const { clock, reviewed, tokens } = play();
    const both = () => Promise.all(['good', 'bad'].map((token) => tokens.callerOf(token, '10.0.0.1')));
    expect(await both()).toEqual([expect.objectContaining({ user: 'good' }), undefined]);
    await both();
    expect(reviewed).toEqual(['good', 'bad']);
    await clock.advance(10_000);
    await both();
    expect(reviewed).toEqual(['good', 'bad', 'good', 'bad']);
  });

  it('that is not valid is reviewed at a rate for each address; others and those that were valid are not held up', async () => {
    const { clock, reviewed, tokens } = play();
    await tokens.callerOf('good', '10.0.0.1');
    await clock.advance(10_000);
    const { burst, perSecond } = peerRates.unknownTokens;
    for (let index = 0; index < burst; index += 1) await tokens.callerOf(`bad ${index}`, '10.0.0.1');
    await expect(tokens.callerOf('bad', '10.0.0.1')).rejects.toThrow(/address 10.0.0.1 .* "unknownTokens"/);
    expect(reviewed).toHaveLength(burst + 1);
    expect(await tokens.callerOf('good', '10.0.0.1')).toBeDefined();
    expect(await tokens.callerOf('good as well', '10.0.0.2')).toBeDefined();
    await clock.advance(1000);
    for (let index = 0; index < perSecond; index += 1) await tokens.callerOf(`worse ${index}`, '10.0.0.1');
    await expect(tokens.callerOf('worst', '10.0.0.1')).rejects.toMatchObject({ code: 'TooManyRequests' });
  });

  it('that is valid takes nothing of the rate, however many there are', async () => {
    const { tokens } = play();
    for (let index = 0; index < 500; index += 1) {
      expect(await tokens.callerOf(`good ${index}`, '10.0.0.1')).toBeDefined();
    }
  });

  it('that is not valid counts for the whole /64 of an address', async () => {
    const { tokens } = play();
    const { burst } = peerRates.unknownTokens;
    for (let index = 0; index < burst; index += 1) await tokens.callerOf(`bad ${index}`, `2001:db8:0:1::${index}`);
    await expect(tokens.callerOf('bad', '2001:db8:0:1:ffff::1')).rejects.toThrow(
      'address 2001:db8:0:1::/64 has used up',
    );
    expect(await tokens.callerOf('good', '2001:db8:0:2::1')).toBeDefined();
  });

  it('that is not valid is reviewed at a rate, however many addresses show it; those that were valid are not held up', async () => {
    const { clock, reviewed, tokens } = play();
    const { burst, perSecond } = strangerRates.unknownTokens;
    await tokens.callerOf('good', '10.0.0.1');
    await clock.advance(10_000);
    const guess = (index: number) => tokens.callerOf(`bad ${index}`, `10.1.${index >> 8}.${index & 255}`);
    for (let index = 0; index < burst; index += 1) await guess(index);
    await expect(guess(burst)).rejects.toThrow(/unknown callers have used up their limit "unknownTokens"/);
    expect(reviewed).toHaveLength(burst + 1);
    expect(await tokens.callerOf('good', '10.0.0.1')).toBeDefined();
    await clock.advance(1000);
    for (let index = 0; index < perSecond; index += 1) await guess(burst + 1 + index);
    await expect(guess(2 * burst)).rejects.toMatchObject({ code: 'TooManyRequests' });
  });

  it('that was revoked is one that is not valid', async () => {
    const { clock, revoked, tokens } = play();
    await tokens.callerOf('good', '10.0.0.1');
    revoked.add('good');
    await clock.advance(10_000);
    expect(await tokens.callerOf('good', '10.0.0.1')).toBeUndefined();
  });

  it('that is new is reviewed for an address that showed a valid one, however many tokens others show', async () => {
    const { tokens } = play();
    await tokens.callerOf('good', '10.0.0.1');
    const guess = (index: number) => tokens.callerOf(`bad ${index}`, `2001:db8:0:${(index % 256).toString(16)}::1`);
    for (let index = 0; index < strangerRates.unknownTokens.burst; index += 1) await guess(index);
    await expect(guess(0xffff)).rejects.toThrow(/unknown callers have used up their limit/);
    expect(await tokens.callerOf('good after rotation', '10.0.0.1')).toBeDefined();
    await expect(tokens.callerOf('good elsewhere', '10.0.0.2')).rejects.toMatchObject({ code: 'TooManyRequests' });
    const { burst } = peerRates.unknownTokens;
    for (let index = 0; index < burst; index += 1) await tokens.callerOf(`worse ${index}`, '10.0.0.1');
    await expect(tokens.callerOf('worst', '10.0.0.1')).rejects.toThrow(/address 10.0.0.1 has used up its limit/);
  });

  it('that the API server cannot review takes nothing of the rates', async () => {
    const { setDown, tokens } = play();
    setDown(true);
    for (let index = 0; index < 2 * strangerRates.unknownTokens.burst; index += 1) {
      const answer = tokens.callerOf('good', `10.1.${(index >> 8) & 7}.${index & 255}`);
      await expect(answer).rejects.toMatchObject({ code: 'Unavailable' });
    }
    for (let index = 0; index < 2 * peerRates.unknownTokens.burst; index += 1) {
      await expect(tokens.callerOf('good', '10.0.0.1')).rejects.toMatchObject({ code: 'Unavailable' });
    }
    setDown(false);
    expect(await tokens.callerOf('good', '10.0.0.1')).toBeDefined();
  });
});
