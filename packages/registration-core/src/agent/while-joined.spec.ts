import { staticAccess } from '@flotilla/kube';
import { BehaviorSubject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { JoinedHub } from './context.ts';
import { whileJoined } from './while-joined.ts';

const hub = (clusterName: string): JoinedHub => ({
  identity: { clusterName, agentName: 'a1' },
  access: staticAccess({ server: 'https://hub', origin: 'the test' }),
});

/** Work that notes when it begins and ends. */
const noted = (notes: string[]) => async (joined: JoinedHub, signal: AbortSignal) => {
  notes.push(`+${joined.identity.clusterName}`);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  notes.push(`-${joined.identity.clusterName}`);
};

describe('work while the agent is joined', () => {
  it('runs once for each connection, and the next only when the last has ended', async () => {
    const hub$ = new BehaviorSubject<JoinedHub | undefined>(undefined);
    const end = new AbortController();
    const notes: string[] = [];
    const over = whileJoined({ hub$ }, end.signal, noted(notes));
    expect(notes).toEqual([]);
    hub$.next(hub('a'));
    await vi.waitFor(() => expect(notes).toEqual(['+a']));
    hub$.next(undefined);
    await vi.waitFor(() => expect(notes).toEqual(['+a', '-a']));
    hub$.next(hub('b'));
    hub$.next(hub('c'));
    await vi.waitFor(() => expect(notes.at(-1)).toBe('+c'));
    end.abort();
    await over;
    expect(notes).toEqual(['+a', '-a', '+c', '-c']);
  });

  it('fails when the work does', async () => {
    const hub$ = new BehaviorSubject<JoinedHub | undefined>(hub('a'));
    const failing = () => Promise.reject(new Error('broken'));
    await expect(whileJoined({ hub$ }, new AbortController().signal, failing)).rejects.toThrow('broken');
    expect(hub$.observed).toBe(false);
  });

  it('does nothing if it is over before it began', async () => {
    const notes: string[] = [];
    await whileJoined(
      { hub$: new BehaviorSubject<JoinedHub | undefined>(hub('a')) },
      AbortSignal.abort(),
      noted(notes),
    );
    expect(notes).toEqual([]);
  });
});
