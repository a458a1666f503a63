import { createHash } from 'node:crypto';

/** Identifies a hub on a managed cluster: lower-case hex SHA-256 of the hub's address, exactly as it is configured. */
export const hubHashOf = (server: string): string => createHash('sha256').update(server).digest('hex');
