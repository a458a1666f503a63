import type { TransportOptions } from './create-transport.ts';
import { createRunner } from './create-transport.ts';
import type { Forwarder } from './forwarder.ts';

/** A forwarder to the API server that `access` names, which must be allowed to impersonate. It has connections of its own. */
export function createForwarder(options: TransportOptions): Forwarder {
  const runner = createRunner(options);
  return { forward: (request) => runner.forward(request), close: () => runner.close() };
}
