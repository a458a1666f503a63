import type { StoredCredentials } from './credentials.ts';

/** A Secret of a driver's own in the namespace of the agent: what has to outlive a restart and is not a credential for the hub. */
export interface DriverSecret {
  /** Undefined if there is none. */
  read(): Promise<StoredCredentials | undefined>;
  /** Puts the values over those that are there. */
  write(values: StoredCredentials): Promise<void>;
}
