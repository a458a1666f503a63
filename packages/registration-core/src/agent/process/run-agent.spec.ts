import { createKubeClient, realClock, silentLogger } from '@flotilla/kube';
import { noMetrics } from '@flotilla/kube/metrics';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { defineOptions, parseOptions } from '@flotilla/process';
import { describe, expect, it } from 'vitest';
import { type AddonDriver, type Driver, defineDriver } from '../../contract/index.ts';
import { registrationFlags } from './flags.ts';
import { agentInput } from './run-agent.ts';

const notHere = () => {
  throw new Error('not in this test');
};
const addonOf = (authType: string): AddonDriver<unknown> => ({ authType, supports: () => true, create: notHere });
const cluster = defineDriver({
  authType: 'csr',
  options: { agent: defineOptions({}), hub: {} },
  agent: notHere,
  hub: notHere,
  addon: addonOf('csr'),
});
const addonsOnly = defineDriver({
  authType: 'token',
  options: {
    agent: defineOptions({ issuer: { type: 'string', required: true, description: 'Who makes tokens.' } }),
    hub: {},
  },
  addon: addonOf('token'),
});
const drivers: readonly Driver[] = [cluster, addonsOnly];

async function addonDrivers(argv: string[]): Promise<string[]> {
  const parsed = parseOptions(registrationFlags(drivers), { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error(parsed.kind);
  const client = createKubeClient({ transport: new FakeApi(realClock), clock: realClock });
  const context = { options: parsed.values, clock: realClock, log: silentLogger, kitMetrics: () => noMetrics };
  const input = { drivers, env: {}, userAgent: 'test', management: client, namespace: 'n' };
  const made = await agentInput(context, input, client);
  return (made.addonDrivers ?? []).map(({ authType }) => authType);
}

describe('the drivers that serve add-ons', () => {
  it('are those that have the flags which they require', async () => {
    expect(await addonDrivers([])).toEqual(['csr']);
    expect(await addonDrivers(['--issuer=x'])).toEqual(['csr', 'token']);
  });

  it('must have them when one is chosen for kubeClients', async () => {
    const chosen = '--addon-kubeclient-registration-auth=token';
    await expect(addonDrivers([chosen])).rejects.toThrow(
      '--issuer is required with --addon-kubeclient-registration-auth=token',
    );
    expect(await addonDrivers([chosen, '--issuer=x'])).toEqual(['csr', 'token']);
  });
});
