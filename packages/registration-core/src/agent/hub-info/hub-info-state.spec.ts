import { silentLogger } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import type { HubEndpoint } from '../../contract/index.ts';
import type { StoredChanges } from '../credentials/credential-store.ts';
import { hubInfoState } from './hub-info-state.ts';

function start() {
  const used: HubEndpoint[] = [];
  const saved: StoredChanges[] = [];
  const writes = { areRefused: false };
  const state = hubInfoState({
    endpoint: { name: 'hub', server: 'https://hub', caData: 'old' },
    announced: undefined,
    use: (endpoint) => used.push(endpoint),
    async save(changes) {
      if (writes.areRefused) throw new Error('the Secret cannot be written');
      saved.push(changes);
    },
    describe: ({ caData }) => ({ config: `CA ${caData}` }),
    log: silentLogger,
  });
  return { state, used, saved, writes };
}

describe('what an agent knows about its hub', () => {
  it('is used although it cannot be stored, and stored with the newest when that works again', async () => {
    const { state, used, saved, writes } = start();
    writes.areRefused = true;
    await expect(state.observe({ server: 'https://other' }, 'new')).rejects.toThrow('cannot be written');
    expect(used.map(({ caData }) => caData)).toEqual(['new']);
    expect(state.announced()).toBe('https://other');
    writes.areRefused = false;
    await state.observe({ server: 'https://other' }, 'newest');
    expect(saved).toEqual([{ 'announced-server': 'https://other', config: 'CA newest' }]);
  });

  it('is stored in the order in which the hub publishes it, and written only when it changes', async () => {
    const { state, saved } = start();
    await Promise.all(['new', 'newest'].map((caData) => state.observe({}, caData)));
    expect(saved.at(-1)).toEqual({ config: 'CA newest' });
    saved.length = 0;
    await state.observe({}, 'newest');
    expect(saved).toEqual([]);
  });
});
