import type { AccessSource } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import { merge, Subject } from 'rxjs';
import type { BootstrapConnection, HubEndpoint } from '../contract/index.ts';

/** Connects with bootstrap access. At another address of the hub it has the same credentials. The source stays open. */
export function openBootstrap(source: AccessSource, connect: (access: AccessSource) => Transport): BootstrapConnection {
  const moves = new Subject<void>();
  let moved: HubEndpoint | undefined;
  const transport = connect({
    async current() {
      const access = await source.current();
      if (!moved) return access;
      const { server, caData } = moved;
      return { ...access, server, ...(caData && { ca: Buffer.from(caData, 'base64').toString('utf8') }) };
    },
    changes: merge(source.changes, moves),
    errors: source.errors,
    invalidate: () => source.invalidate(),
    close() {},
  });
  return {
    transport,
    moveTo(endpoint) {
      moved = endpoint;
      moves.next();
    },
    close: () => transport.close(),
  };
}
