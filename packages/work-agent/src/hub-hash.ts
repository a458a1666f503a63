import { createHash } from 'node:crypto';

/** Tells hubs apart on the cluster: lower-case hex SHA-256 of the hub's address, exactly as it is configured. */
export const hubHashOf = (server: string): string => createHash('sha256').update(server).digest('hex');
