import { merge, type Observable } from 'rxjs';
import type { Transport } from './transport.ts';

/**
 * The same transport, whose watches are also opened again on each emission: for what a server forbade until now, because a
 * watch that was refused waits longer and longer before it asks again.
 */
export const reopenOn = (transport: Transport, emissions: Observable<void>): Transport => ({
  request: (request) => transport.request(request),
  stream: (request) => transport.stream(request),
  ...(transport.upgrade && { upgrade: transport.upgrade.bind(transport) }),
  accessChanged: merge(transport.accessChanged, emissions),
  close: () => transport.close(),
});
