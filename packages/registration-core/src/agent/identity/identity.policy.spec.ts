import { describe, expect, it } from 'vitest';
import { chooseIdentity, validateIdentity } from './identity.policy.ts';

const source = { random: () => 0, uuid: () => 'b5a3e3a0-0000-4000-8000-000000000000' };

describe('the identity of an agent', () => {
  it('[registration-agent 19.1-10] is that of the flags, else that of the secret, else generated', () => {
    const stored = { 'cluster-name': 'stored', 'agent-name': 'kept' };
    const flags = { clusterName: 'flag', agentName: 'given' };
    expect(chooseIdentity(flags, stored, source)).toEqual(flags);
    expect(chooseIdentity({}, stored, source)).toEqual({ clusterName: 'stored', agentName: 'kept' });
    expect(chooseIdentity({ clusterName: '' }, undefined, source)).toEqual({
      clusterName: source.uuid(),
      agentName: 'bbbbb',
    });
  });

  it('[registration-agent 19.1-11] must be fit for a namespace', () => {
    const check = (clusterName: string) => () => validateIdentity({ clusterName, agentName: 'a' });
    expect(check('')).toThrow('cluster name is empty');
    for (const name of ['-invalid', 'Upper', 'a.b', 'a:b', 'x'.repeat(64)]) {
      expect(check(name)).toThrow('metadata.name format is not correct');
    }
    expect(check('x'.repeat(63))).not.toThrow();
  });
});
