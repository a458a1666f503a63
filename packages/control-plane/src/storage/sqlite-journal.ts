import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { KubeError } from '@flotilla/kube';
import { type KubeObject, parseJson, stringifyJson } from '@flotilla/schema';
import type { Journal, JournalRecord } from './journal.ts';

export interface SqliteJournalOptions {
  readonly file: string;
  /**
   * `process`: a write survives the death of this process, as it is in the operating system's hands (the default).
   * `power`: it also survives a power cut; each write waits for the disk.
   */
  readonly durability?: 'process' | 'power';
}

/** Loaded when it is used: a Node that does not have it could not even load this package, to say which Node is needed. */
const sqlite = (): typeof import('node:sqlite') => process.getBuiltinModule('node:sqlite');

const layout = 1;

/**
 * The revision is this much higher after each open than it was stored. Without `power` a power cut may lose the last writes, and a client that
 * saw them would otherwise resume its watch in another history as soon as new writes reach its revision. Far more than can be lost: SQLite
 * waits for the disk each time that the log is moved into the file.
 */
const revisionJump = 1_000_000;

/** All objects in one SQLite file. The file is locked while open: a second process is refused, and the lock dies with its holder. */
export function openSqliteJournal({ file, durability = 'process' }: SqliteJournalOptions): Journal {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = open(file, durability);
  const putObject = database.prepare(
    'INSERT INTO objects (resource, key, json) VALUES (?, ?, ?) ON CONFLICT (resource, key) DO UPDATE SET json = excluded.json',
  );
  const deleteObject = database.prepare('DELETE FROM objects WHERE resource = ? AND key = ?');
  const setRevision = database.prepare("UPDATE state SET value = ? WHERE name = 'revision'");

  const setScratch = database.prepare("INSERT OR REPLACE INTO scratch VALUES ('verify', zeroblob(?))");
  const clearScratch = database.prepare('DELETE FROM scratch');
  /** The size of the last write that failed, 0 if none did since `verify` succeeded: a full disk may still have room for something smaller. */
  let failedBytes = 0;

  const transaction = transactionsOf(database, file);

  const attempt = (bytes: number, write: () => void): void => {
    try {
      transaction(write);
    } catch (error) {
      failedBytes = bytes;
      throw error;
    }
  };

  return {
    load() {
      const stored = Number(database.prepare("SELECT value FROM state WHERE name = 'revision'").get()?.value ?? 0);
      const revision = stored === 0 ? 1 : stored + revisionJump;
      transaction(() => setRevision.run(revision));
      // On the disk for good, whatever the durability of the writes that follow.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return { revision, records: recordsIn(database) };
    },
    put(revision, { resource, key, object }) {
      const json = stringifyJson(object);
      attempt(json.length, () => {
        putObject.run(resource, key, json);
        setRevision.run(revision);
      });
    },
    delete: (revision, resource, key) =>
      attempt(1, () => {
        deleteObject.run(resource, key);
        setRevision.run(revision);
      }),
    verify() {
      transaction(() => setScratch.run(failedBytes));
      transaction(() => clearScratch.run());
      failedBytes = 0;
    },
    close: () => database.close(),
  };
}

/** Runs writes that are kept together or not at all. */
function transactionsOf(database: DatabaseSync, file: string): (write: () => void) => void {
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  return (write) => {
    begin.run();
    try {
      write();
      commit.run();
    } catch (error) {
      // SQLite may have done so itself, as on a full disk.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw new KubeError(
        'Internal',
        `the write to ${file} failed: ${error instanceof Error ? error.message : error}`,
        { cause: error, hint: `Check free space and permissions of ${file}; nothing of this write was kept.` },
      );
    }
  };
}

function recordsIn(database: DatabaseSync): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (const row of database.prepare('SELECT resource, key, json FROM objects').iterate()) {
    records.push({
      resource: String(row.resource),
      key: String(row.key),
      object: parseJson(String(row.json)) as KubeObject,
    });
  }
  return records;
}

function open(file: string, durability: 'process' | 'power'): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new (sqlite().DatabaseSync)(file);
    // Secrets are in it.
    chmodSync(file, 0o600);
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'};
      -- Every 16 MiB, not every 4: a writer waits for the disk while the log is moved into the file.
      PRAGMA wal_autocheckpoint = 4000;
      CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS objects (resource TEXT, key TEXT, json TEXT NOT NULL, PRIMARY KEY (resource, key)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS scratch (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
      INSERT OR IGNORE INTO state VALUES ('layout', ${layout}), ('revision', 0);
    `);
    const found = database.prepare("SELECT value FROM state WHERE name = 'layout'").get();
    if (found?.value !== layout) {
      throw new KubeError('Config', `${file} has layout ${found?.value}, this version knows ${layout}`, {
        hint: 'Use the version of Flotilla that wrote the file, or start with an empty data directory.',
      });
    }
    return database;
  } catch (error) {
    database?.close();
    throw describeOpenError(error, file);
  }
}

function describeOpenError(error: unknown, file: string): KubeError {
  if (error instanceof KubeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/locked|busy/.test(message)) {
    return new KubeError('Config', `${file} is in use by another control plane`, {
      cause: error,
      hint: 'Stop the other process, or give this one its own data directory.',
    });
  }
  return new KubeError('Config', `${file} cannot be opened as a database: ${message}`, {
    cause: error,
    hint: 'Check that the file was written by Flotilla and may be read and written by this user.',
  });
}
