import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, type AgentState, initialState, leavesHub, transition } from './state.ts';

const events: AgentEvent[] = [
  { type: 'credentialsUsable' },
  { type: 'credentialsUnusable', reason: 'NoCredentials', message: 'm' },
  { type: 'accepted' },
  { type: 'notAccepted' },
  { type: 'bootstrapChanged', message: 'm' },
  { type: 'secretDeleted' },
  { type: 'expired', message: 'm' },
  { type: 'unauthorized', message: 'm' },
  { type: 'forbidden', message: 'm' },
  { type: 'endpointChanged', message: 'm' },
  { type: 'hubLost', server: 's', message: 'm' },
  { type: 'choiceOutdated', message: 'm' },
  { type: 'obstacleGone' },
  { type: 'rejoinRequested' },
];
const after = (...types: AgentEvent['type'][]): AgentState =>
  types.reduce((state, type) => {
    const event: AgentEvent =
      type === 'stop' ? { type } : (events.find((one) => one.type === type) ?? { type: 'stop' });
    return transition(state, event);
  }, initialState);

describe('the states of an agent', () => {
  it('lead from nothing to running', () => {
    expect(after('credentialsUnusable')).toMatchObject({ phase: 'bootstrapping', reason: 'NoCredentials' });
    expect(after('credentialsUnusable', 'credentialsUsable').phase).toBe('joining');
    expect(after('credentialsUnusable', 'credentialsUsable', 'accepted').phase).toBe('running');
  });

  it('skip bootstrapping with good credentials', () => {
    expect(after('credentialsUsable').phase).toBe('joining');
  });

  it('keep the connection between joining and running', () => {
    const joining = after('credentialsUsable');
    expect(after('credentialsUsable', 'accepted').connection).toBe(joining.connection);
    expect(after('credentialsUsable', 'accepted', 'notAccepted')).toEqual(joining);
  });

  it.each(['bootstrapChanged', 'secretDeleted', 'expired', 'unauthorized'] as const)(
    'lead back to bootstrapping on %s, with new credentials',
    (type) => {
      expect(after('credentialsUsable', 'accepted', type)).toMatchObject({
        phase: 'bootstrapping',
        keepCredentials: false,
      });
    },
  );

  it('lead to another choice among several hubs, of which none was left', () => {
    expect(after('credentialsUsable', 'accepted', 'choiceOutdated')).toEqual({ phase: 'starting', connection: 2 });
  });

  it('keep the credentials when the hub knows the agent and forbids all its requests', () => {
    expect(after('credentialsUsable', 'forbidden')).toMatchObject({ phase: 'bootstrapping', keepCredentials: true });
  });

  it('lead to another connection with the same credentials when the hub changed its address as it had announced', () => {
    const before = after('credentialsUsable', 'accepted');
    expect(after('credentialsUsable', 'accepted', 'endpointChanged')).toEqual({
      phase: 'joining',
      connection: before.connection + 1,
    });
  });

  it('lead back to the choice among hubs when one is lost, from wherever the agent is', () => {
    const start = { phase: 'starting', left: { server: 's', message: 'm' } };
    expect(after('credentialsUsable', 'accepted', 'hubLost')).toMatchObject(start);
    expect(after('credentialsUnusable', 'hubLost')).toMatchObject(start);
  });

  const obstacle = (reason: 'NameTaken' | 'Removed') =>
    ({ type: 'obstacleFound', obstacle: { reason, message: 'm' } }) as const;

  it('end the connection, and leave the hub, when another cluster has the name', () => {
    const state = transition(after('credentialsUsable', 'accepted'), obstacle('NameTaken'));
    expect(state).toMatchObject({ phase: 'bootstrapping', reason: 'NameTaken', keepCredentials: true });
    expect(leavesHub(state)).toBe(true);
  });

  it('keep that the cluster was removed until it is accepted, and the hub too', () => {
    let state = transition(after('credentialsUsable', 'accepted'), obstacle('Removed'));
    for (const event of ['forbidden', 'credentialsUsable', 'forbidden', 'credentialsUsable'] as const) {
      state = transition(state, event === 'forbidden' ? { type: event, message: 'm' } : { type: event });
      expect([state, leavesHub(state)]).toMatchObject([{ obstacle: { reason: 'Removed' } }, false]);
    }
    expect(transition(state, { type: 'accepted' })).not.toHaveProperty('obstacle');
    expect(transition(state, { type: 'rejoinRequested' })).toMatchObject({
      phase: 'bootstrapping',
      keepCredentials: true,
    });
  });

  it('never leave stopped, and never use a connection again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<AgentEvent>(...events, obstacle('NameTaken'), obstacle('Removed'), { type: 'stop' })),
        (sequence) => {
          let state = initialState;
          for (const event of sequence) {
            const next = transition(state, event);
            expect(next.connection).toBeGreaterThanOrEqual(state.connection);
            const isSameScope = next.connection === state.connection;
            const connected = ['joining', 'running'];
            // Only what hangs on acceptance changes within a connection.
            if (next.phase !== state.phase && isSameScope) {
              expect([connected.includes(state.phase), connected.includes(next.phase)]).toEqual([true, true]);
            }
            if (state.phase === 'stopped') expect(next).toBe(state);
            // Wherever an agent is, good credentials end the search for others.
            else expect(connected).toContain(transition(state, { type: 'credentialsUsable' }).phase);
            state = next;
          }
        },
      ),
    );
  });
});
