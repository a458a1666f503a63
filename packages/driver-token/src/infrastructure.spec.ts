import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { tokenInfrastructure } from './infrastructure.ts';

const addon = (status?: 'True' | 'False', message = ''): ManagedClusterAddOn => {
  const type = 'TokenInfrastructureReady';
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return {
    metadata: { name: 'work', namespace: 'c1' },
    spec: {},
    status: { conditions: status ? [{ type, status, reason: 'R', message, lastTransitionTime }] : [] },
  };
};

describe('the service account of an add-on', () => {
  it('[registration-agent 19.9-83] is waited for', () => {
    expect(tokenInfrastructure(addon())).toEqual({ ready: false, why: 'the hub to set TokenInfrastructureReady' });
    expect(tokenInfrastructure(addon('False', 'no quota'))).toEqual({
      ready: false,
      why: 'the hub could not make a service account: no quota',
    });
  });

  it('[registration-agent 19.9-83] is there with its uid', () => {
    expect(tokenInfrastructure(addon('True', 'ServiceAccount c1/work-agent (UID: 12-34) is ready'))).toEqual({
      ready: true,
      serviceAccountUid: '12-34',
    });
  });

  it.each([
    ['names no uid', 'it is ready', 'ServiceAccount UID not found in message: it is ready'],
    [
      'does not end the uid',
      'ServiceAccount (UID: 12',
      'malformed ServiceAccount UID in message: ServiceAccount (UID: 12',
    ],
    ['has an empty uid', 'ServiceAccount (UID: ) is', 'empty ServiceAccount UID in message: ServiceAccount (UID: ) is'],
  ])('[registration-agent 19.9-82, 19.9-83] [addons 118] is an error if the message %s', (_, message, error) => {
    expect(() => tokenInfrastructure(addon('True', message))).toThrow(error);
  });
});
