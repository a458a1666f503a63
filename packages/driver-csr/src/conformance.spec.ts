import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { certificateUser, driverConformance } from '@flotilla/registration-core/testing';
import { describe, it } from 'vitest';
import { decideAll } from './fixtures/hub.ts';
import { csrDriver } from './index.ts';

const hourMs = 3_600_000;

describe('the CSR driver, as every driver,', () => {
  const cases = driverConformance({
    startPlane: (clock, role) =>
      startControlPlane({ listen: false, clock, crds: role === 'hub' ? customResourceDefinitions() : [] }),
    agentDriver: (context) => csrDriver.agent({ ...context, options: { clientCertExpirationSeconds: 3600 } }),
    hubDriver: (context) =>
      csrDriver.hub({ ...context, options: { autoApprovedCsrUsers: [], clusterAutoApprovalUsers: [] } }),
    authenticate: certificateUser,
    grant: async (fleet) => {
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
    },
    refuse: async (fleet) => {
      const decided = await decideAll(fleet.hub.client, 'Denied', fleet.clock.now());
      if (decided === 0) throw new Error('there is no request yet');
    },
    renewalAfterMs: 0.9 * hourMs,
  });
  for (const { name, run } of cases) it(name, run);
});
