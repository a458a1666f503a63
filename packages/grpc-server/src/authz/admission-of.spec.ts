import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { ClusterBudgets } from '../budget/cluster-budgets.ts';
import { userQuotas, userReceiveMs } from '../limits.ts';
import { admissionOf } from './admission-of.ts';

const agent = { user: 'system:open-cluster-management:a:agent1' };
const bootstrap = { user: 'bootstrap' };
const peer = '127.0.0.1:1';

it('gives the message of a user that is no agent less time than that of an agent, which may be large', () => {
  const budgets = new ClusterBudgets(new FakeClock());
  expect(admissionOf(budgets, bootstrap, { peer }).receiveTimeoutMs).toBe(userReceiveMs);
  expect(admissionOf(budgets, agent, { peer }).receiveTimeoutMs).toBeUndefined();
});

it('gives a connection the next turn, however many calls of another one with the same user wait', async () => {
  const budgets = new ClusterBudgets(new FakeClock());
  const turn = (from: string) => admissionOf(budgets, bootstrap, { peer: from }).turn('messages');
  const { max } = userQuotas.messages;
  const hostile = await Promise.all(Array.from({ length: max }, () => turn('hostile')));
  for (let index = 0; index < 100; index += 1) void turn('hostile');
  const honest = turn('honest');
  for (const end of hostile.slice(0, 2)) end();
  (await honest)();
});
