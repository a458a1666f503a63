import { BehaviorSubject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { JoinedHub } from './hub-session.ts';
import { runWithWork, whileJoined } from './while-joined.ts';

const hub = (clusterName: string): JoinedHub => ({
  identity: { clusterName, agentName: 'a1' },
  server: 'https://hub',
  connect() {
    throw new Error('the test does not connect');
  },
});

/** Work that records when it begins and ends. */
const recorded = (events: string[]) => async (joined: JoinedHub, signal: AbortSignal) => {
  events.push(`+${joined.identity.clusterName}`);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  events.push(`-${joined.identity.clusterName}`);
};

describe('work while the agent is joined', () => {
  it('runs once for each connection, and the next only when the last has ended', async () => {
    const hub$ = new BehaviorSubject<JoinedHub | undefined>(undefined);
    const end = new AbortController();
    const events: string[] = [];
    const over = whileJoined({ hub$ }, end.signal, recorded(events));
    expect(events).toEqual([]);
    hub$.next(hub('a'));
    await vi.waitFor(() => expect(events).toEqual(['+a']));
    hub$.next(undefined);
    await vi.waitFor(() => expect(events).toEqual(['+a', '-a']));
    hub$.next(hub('b'));
    hub$.next(hub('c'));
    await vi.waitFor(() => expect(events.at(-1)).toBe('+c'));
    end.abort();
    await over;
    expect(events).toEqual(['+a', '-a', '+c', '-c']);
  });

  it('fails when the work does', async () => {
    const hub$ = new BehaviorSubject<JoinedHub | undefined>(hub('a'));
    const failing = () => Promise.reject(new Error('broken'));
    await expect(whileJoined({ hub$ }, new AbortController().signal, failing)).rejects.toThrow('broken');
    expect(hub$.observed).toBe(false);
  });

  it('does nothing if it is over before it began', async () => {
    const events: string[] = [];
    await whileJoined(
      { hub$: new BehaviorSubject<JoinedHub | undefined>(hub('a')) },
      AbortSignal.abort(),
      recorded(events),
    );
    expect(events).toEqual([]);
  });
});

describe('an agent with work beside it', () => {
  const untilAborted = (signal: AbortSignal, onEnd: () => void) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        onEnd();
        resolve();
      });
    });

  it('ends with it if the work fails', async () => {
    const ended: string[] = [];
    const agent = {
      hub$: new BehaviorSubject<JoinedHub | undefined>(hub('a')),
      run: (signal: AbortSignal) => untilAborted(signal, () => ended.push('agent')),
    };
    const failing = () => Promise.reject(new Error('broken'));
    await expect(runWithWork(agent, new AbortController().signal, failing)).rejects.toThrow('broken');
    expect(ended).toEqual(['agent']);
  });

  it('ends the work if the agent fails', async () => {
    const ended: string[] = [];
    const agent = {
      hub$: new BehaviorSubject<JoinedHub | undefined>(hub('a')),
      run: () => Promise.reject(new Error('broken')),
    };
    const work = (_hub: JoinedHub, signal: AbortSignal) => untilAborted(signal, () => ended.push('work'));
    await expect(runWithWork(agent, new AbortController().signal, work)).rejects.toThrow('broken');
    expect(ended).toEqual(['work']);
  });
});
