import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { describe, it } from 'vitest';
import { passphraseDriver, userOf } from '../../examples/passphrase-driver.ts';
import { driverConformance } from './index.ts';

const passphrase = 'open sesame';
const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ManagedCluster');

describe('the driver of a third party, as every driver,', () => {
  const cases = driverConformance({
    startPlane: (clock) => startControlPlane({ listen: false, clock, crds }),
    agentDriver: (context) => passphraseDriver.agent({ ...context, options: { passphrase } }),
    hubDriver: (context) => passphraseDriver.hub({ ...context, options: {} }),
    authenticate: ({ authorization = '' }, now) => userOf(authorization, passphrase, now),
    grant: async () => {},
    renewalAfterMs: 50 * 60_000,
  });
  for (const { name, run } of cases) it(name, run);
});
