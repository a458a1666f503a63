import { isDeepStrictEqual } from 'node:util';
import { type KubeClient, type ObjectKey, retryOnConflict, splitKey } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
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
  /** Marks a Secret that was read, and has no marks of its owner, as that of the owner. */
  claim(): Promise<void>;
  delete(): Promise<void>;
}

/** To whom a Secret belongs. */
export interface SecretOwner {
  /** Written with the data, beside what others put there. */
  marks(): {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** Whether a Secret holds credentials of another owner: they are not read, and the next write replaces all of them. */
  isForeign(secret: Secret): boolean;
}

/** The Secret of that key, on the server and not from a cache: a stale one would cost a certificate. */
export function secretStore(client: KubeClient, key: ObjectKey, owner?: SecretOwner): CredentialStore {
  const handle = client.resource(secrets);
  const isForeign = (secret: Secret): boolean => owner?.isForeign(secret) ?? false;
  let isUnmarked = false;
  const marked = (metadata: Secret['metadata']): Secret['metadata'] => {
    if (!owner) return metadata;
    const { labels, annotations } = owner.marks();
    return {
      ...metadata,
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, ...annotations },
    };
  };
  const writeOnce = async (values: StoredChanges): Promise<void> => {
    const current = await handle.find(key);
    const data = withChanges((current && !isForeign(current) && current.data) || {}, values);
    if (!current) {
      const created: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: marked(splitKey(key)) ?? {}, data };
      await handle.create(created);
    } else if (!isDeepStrictEqual(data, current.data ?? {})) {
      await handle.replace({ ...current, metadata: marked(current.metadata) ?? {}, data });
    }
  };
  return {
    async read() {
      const secret = await handle.find(key);
      const isOwn = secret !== undefined && !isForeign(secret);
      isUnmarked = isOwn && !isDeepStrictEqual(marked(secret.metadata), secret.metadata);
      return isOwn ? decodeCredentials(secret.data) : undefined;
    },
    async claim() {
      if (!isUnmarked) return;
      const current = await handle.find(key);
      if (current && !isForeign(current)) {
        await handle.replace({ ...current, metadata: marked(current.metadata) ?? {} });
      }
      isUnmarked = false;
    },
    // It was written in between: the issued credentials still belong into it.
    write: (values) => retryOnConflict(() => writeOnce(values), { attempts: 3, codes: ['Conflict', 'AlreadyExists'] }),
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
