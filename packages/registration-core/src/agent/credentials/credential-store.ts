import { isDeepStrictEqual } from 'node:util';
import { type KubeClient, KubeError, type ObjectKey, type Secret, secrets, splitKey } from '@flotilla/kube';
import type { StoredCredentials } from '../../contract/index.ts';

/** What to put into a Secret; undefined takes away. */
export type StoredChanges = Readonly<Record<string, string | undefined>>;

/** Credentials in a Secret. */
export interface CredentialStore {
  /** Undefined if there is no Secret. */
  read(): Promise<StoredCredentials | undefined>;
  /**
   * Puts the values over those that are there, in whatever version the Secret is by then, and takes away what is undefined;
   * writes nothing if that changes nothing.
   */
  write(values: StoredChanges): Promise<void>;
  delete(): Promise<void>;
}

const mostAttempts = 3;

/** The Secret of that key, on the server and not from a cache: a stale one would cost a certificate. */
export function secretStore(client: KubeClient, key: ObjectKey): CredentialStore {
  const handle = client.resource(secrets);
  const writeOnce = async (values: StoredChanges): Promise<void> => {
    const current = await handle.find(key);
    const data = withChanges(current?.data ?? {}, values);
    if (!current) {
      const created: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: splitKey(key), data };
      await handle.create(created);
    } else if (!isDeepStrictEqual(data, current.data ?? {})) {
      await handle.replace({ ...current, data });
    }
  };
  return {
    async read() {
      const secret = await handle.find(key);
      return secret && decodeCredentials(secret.data);
    },
    async write(values) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await writeOnce(values);
        } catch (error) {
          // Somebody else wrote it in between: what was issued still belongs into it.
          if (attempt >= mostAttempts || !KubeError.is(error, 'Conflict', 'AlreadyExists')) throw error;
        }
      }
    },
    delete: () => handle.delete(key),
  };
}

function withChanges(data: Readonly<Record<string, string>>, values: StoredChanges): Record<string, string> {
  const changed = { ...data };
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete changed[name];
    else changed[name] = Buffer.from(value).toString('base64');
  }
  return changed;
}

/** `data` of a Secret as text. */
export const decodeCredentials = (data: Readonly<Record<string, string>> = {}): StoredCredentials =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]),
  );
