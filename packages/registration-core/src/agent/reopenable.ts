import type { Transport } from '@flotilla/kube';
import { merge, Subject } from 'rxjs';

/** A transport whose users can be told to open their watches again, as after a change of credentials. */
export function reopenable(transport: Transport): { readonly transport: Transport; reopen(): void } {
  const reopened = new Subject<void>();
  return {
    transport: {
      request: (request) => transport.request(request),
      stream: (request) => transport.stream(request),
      moved: merge(transport.moved, reopened),
      async close() {
        reopened.complete();
        await transport.close();
      },
    },
    reopen: () => reopened.next(),
  };
}
