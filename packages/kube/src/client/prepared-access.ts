import type { ClusterAccess } from '../credentials/access.ts';
import type { ConnectionHeaders } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isLoopback } from './loopback.ts';
import { bareHost } from './proxy-for.ts';
import { accessHeaders } from './request-headers.ts';

/** An access made ready for sending: its connections, and what each request of it has in common. */
export interface PreparedAccess {
  access: ClusterAccess;
  readonly pool: ConnectionPool;
  readonly headers: Readonly<ConnectionHeaders>;
  /** Path of the server's URL, without a slash at the end; empty for most. */
  readonly prefix: string;
  /** For metrics. */
  readonly host: string;
  readonly isLoopback: boolean;
}

/** Makes an access ready for sending over the connections of the pool. */
export function prepareAccess(access: ClusterAccess, pool: ConnectionPool, userAgent: string): PreparedAccess {
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
