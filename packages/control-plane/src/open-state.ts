import { join } from 'node:path';
import type { Clock, Logger } from '@flotilla/kube';
import { type ControlPlanePki, createPki, directoryKeyStore, memoryKeyStore } from './authn/index.ts';
import type { Storage } from './contracts/storage.ts';
import type { ControlPlaneOptions } from './options.ts';
import { compactRegularly } from './storage/compaction.ts';
import { type Journal, noJournal } from './storage/journal.ts';
import { createStorage } from './storage/memory-storage.ts';
import { openSqliteJournal } from './storage/sqlite-journal.ts';

/** What outlives a restart when there is a data directory: objects, keys and certificates. */
export interface State {
  readonly journal: Journal;
  readonly storage: Storage;
  readonly pki: ControlPlanePki;
}

export interface OpenStateOptions extends Pick<ControlPlaneOptions, 'dataDirectory' | 'durability' | 'hosts'> {
  readonly host: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the data directory, or creates a new state in memory. `cleanup` closes it. */
export async function openState(options: OpenStateOptions, cleanup: AsyncDisposableStack): Promise<State> {
  const { dataDirectory, durability, host, hosts = [], clock, log } = options;
  const journal =
    dataDirectory === undefined ? noJournal : openSqliteJournal({ file: join(dataDirectory, 'state.db'), durability });
  const storage = createStorage(journal, log);
  cleanup.defer(() => storage.close());
  cleanup.defer(compactRegularly(storage, clock));
  const store = dataDirectory === undefined ? memoryKeyStore() : await directoryKeyStore(join(dataDirectory, 'pki'));
  return { journal, storage, pki: await createPki({ store, clock, hosts: [host, ...hosts] }) };
}
