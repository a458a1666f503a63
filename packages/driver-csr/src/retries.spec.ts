import { KubeError, type Logger, silentLogger } from '@flotilla/kube';
import { certificateUser, startTestFleet } from '@flotilla/registration-core/testing';
import { expect, it } from 'vitest';
import { csrFleet, joined } from './fixtures/fleet.ts';

const minuteMs = 60_000;

it('asks the hub no more often with time while its driver fails and the hub refuses the bootstrap credentials', async () => {
  let isFailing = () => false;
  await using fleet = await startTestFleet({
    ...csrFleet,
    authenticate: certificateUser,
    driver(flags) {
      const bound = csrFleet.driver(flags);
      return {
        ...bound,
        async agent(context) {
          const driver = await bound.agent?.(context);
          if (!driver) throw new Error('the driver has no agent');
          const start: typeof driver.start = (issuing) => {
            if (isFailing()) throw new KubeError('Config', 'the bootstrap file is damaged');
            return driver.start(issuing);
          };
          return { ...driver, start };
        },
      };
    },
  });
  const agent = await joined(fleet);
  isFailing = () => agent.state.phase === 'bootstrapping';
  fleet.network.revoke(() => true);
  await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
  const refusalsIn = async (ms: number) => {
    const before = fleet.network.refusals.length;
    await fleet.pass(ms);
    return fleet.network.refusals.length - before;
  };
  await fleet.pass(5 * minuteMs);
  const first = await refusalsIn(10 * minuteMs);
  expect(await refusalsIn(10 * minuteMs)).toBeLessThan(first * 1.2);
});

it('reports once that its bootstrap kubeconfig cannot be read while it runs, and reads the next one', async () => {
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (message) => warnings.push(message), child: () => log };
  await using fleet = await startTestFleet({ ...csrFleet, authenticate: certificateUser, log });
  const agent = await joined(fleet);
  const { current } = fleet.bootstrap;
  fleet.bootstrap.current = async () => {
    throw new KubeError('Config', 'bootstrap kubeconfig does not exist');
  };
  fleet.bootstrap.set({});
  await fleet.pass(30 * minuteMs);
  expect(warnings.filter((message) => message.includes('bootstrap')).length).toBe(1);
  expect(agent.state.phase).toBe('running');
  fleet.bootstrap.current = current;
  fleet.bootstrap.set({ clusterName: 'new-hub' });
  await fleet.eventually(() => expect(agent.state).toMatchObject({ reason: 'BootstrapChanged' }));
});
