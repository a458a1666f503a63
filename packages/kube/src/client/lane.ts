import type { ClusterAccess } from '../credentials/access.ts';
import { bareHost, isLoopback } from './proxy-for.ts';
import { accessHeaders } from './request-headers.ts';
import type { WireHeaders } from './wire.ts';
import type { WirePool } from './wire-pool.ts';

/** An access made ready for sending: its connections, and what each request of it has in common. */
export interface Lane {
  access: ClusterAccess;
  readonly pool: WirePool;
  readonly headers: Readonly<WireHeaders>;
  /** Path of the server's URL, without a slash at the end; empty for most. */
  readonly prefix: string;
  /** For metrics. */
  readonly host: string;
  readonly isLoopback: boolean;
}

/** Makes an access ready for sending over the connections of the pool. */
export function createLane(access: ClusterAccess, pool: WirePool, userAgent: string): Lane {
  const url = new URL(access.server);
  return {
    access,
    pool,
    headers: accessHeaders(access, userAgent),
    prefix: url.pathname.replace(/\/+$/, ''),
    host: url.host,
    isLoopback: isLoopback(bareHost(url)),
  };
}
