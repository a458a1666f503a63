import type { Duplex } from 'node:stream';
import type { ApiResponse } from './exchange.ts';

/** A connection that goes on with another protocol, or the answer that refuses it. */
export type UpgradeOutcome =
  | { readonly switched: true; readonly headers: ApiResponse['headers']; readonly socket: Duplex }
  | { readonly switched: false; readonly answer: ApiResponse };
