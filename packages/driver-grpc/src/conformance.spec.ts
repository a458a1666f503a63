import { certificateUser, driverConformance } from '@flotilla/registration-core/testing';
import { describe, it } from 'vitest';
import { decideAll, grpcFleet } from './fixtures/fleet.ts';

const hourMs = 3_600_000;

describe('the gRPC driver, as every driver,', () => {
  const cases = driverConformance({
    ...grpcFleet,
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
