import type { TransportOptions } from './create-transport.ts';
import { createRunner, createUpgrader } from './create-transport.ts';
import type { Forwarder, Relay, RelayedRequest } from './forwarder.ts';
import type { UpgradeRequest } from './upgrade.ts';

/** A relay to the API server that `access` names. It has connections of its own. */
export function createRelay(options: TransportOptions): Relay {
  const { forward, upgrade, close } = passing(options);
  return { relay: forward, upgrade, close };
}

/** A forwarder to the API server that `access` names, which must be allowed to impersonate. It has connections of its own. */
export const createForwarder = (options: TransportOptions): Forwarder => passing(options);

function passing(options: TransportOptions) {
  const runner = createRunner(options);
  const upgrader = createUpgrader(options);
  return {
    forward: (request: RelayedRequest) => runner.forward(request),
    upgrade: (request: UpgradeRequest) => upgrader.upgrade(request),
    async close() {
      upgrader.close();
      await runner.close();
    },
  };
}
