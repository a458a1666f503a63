import { describe, expect, it } from 'vitest';
import { isRenewedByAgent, withHeartbeat } from './heartbeat.policy.ts';

const lease = {
  metadata: { name: 'managed-cluster-lease', namespace: 'c1' },
  spec: { renewTime: '2026-01-01T00:00:00.000000Z' },
};

describe('the lease of a pushed cluster', () => {
  it('is not taken for that of an agent before push-agents has written it: the hub creates it', () => {
    expect(isRenewedByAgent(lease)).toBe(false);
  });

  it('is not taken for that of an agent after push-agents has written it', () => {
    expect(isRenewedByAgent(withHeartbeat(lease, Date.UTC(2026, 0, 2)))).toBe(false);
  });

  it('shows an agent that renews it and keeps what it does not know', () => {
    const ours = withHeartbeat(lease, Date.UTC(2026, 0, 2));
    expect(isRenewedByAgent({ ...ours, spec: { ...ours.spec, renewTime: '2026-01-02T00:00:01.000000Z' } })).toBe(true);
  });
});
