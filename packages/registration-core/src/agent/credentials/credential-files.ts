import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataKey } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { isNote, type StoredCredentials } from '../../contract/index.ts';
import { announcedServerKey, authTypeKey, joinRecordKey } from '../state/secret-entries.ts';

/** Copies of stored credentials as files, for processes that read no Secrets: OCM's work agent, and ours. */
export interface CredentialFiles {
  /** Undefined for what is not there or cannot be read. */
  read(name: string): Promise<string | undefined>;
  /** Makes the files say what is stored. Writes nothing that is so already; files of other names are left alone. */
  write(stored: StoredCredentials): Promise<void>;
}

/** What an agent may have written: of these, files are taken away when their entry is gone. */
const ownNames: readonly string[] = [
  DataKey.ClusterName,
  DataKey.AgentName,
  DataKey.Token,
  DataKey.TlsKey,
  DataKey.TlsCertificate,
  DataKey.DriverConfig,
  announcedServerKey,
  DataKey.Kubeconfig,
];
/** The kubeconfig names the other files, so it comes when they are there. */
const rank = (name: string): number => ownNames.indexOf(name);

/** Files in a directory, which is made if it is not there; each is replaced atomically and readable by its owner only. */
export function credentialFiles(directory: string): CredentialFiles {
  const read = (name: string): Promise<string | undefined> =>
    readFile(join(directory, name), 'utf8').catch(() => undefined);
  const isPrivate = async (name: string): Promise<boolean> => ((await stat(join(directory, name))).mode & 0o077) === 0;
  const replace = async (name: string, content: string): Promise<void> => {
    // One that others may read, such as one that was copied there, is replaced too.
    if ((await read(name)) === content && (await isPrivate(name))) return;
    // Beside its target, because a rename is atomic only within one file system.
    const draft = join(directory, `.${name}.${randomUUID()}`);
    try {
      await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
      await rename(draft, join(directory, name));
    } finally {
      await rm(draft, { force: true });
    }
  };
  return {
    read,
    async write(stored) {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const entries = Object.entries(stored).filter(
          ([name]) => !isNote(name) && name !== joinRecordKey && name !== authTypeKey,
        );
        for (const [name, content] of entries.sort(([a], [b]) => rank(a) - rank(b))) await replace(name, content);
        for (const name of ownNames) if (!(name in stored)) await rm(join(directory, name), { force: true });
      } catch (cause) {
        throw new KubeError('Config', `cannot write the hub credentials into ${directory}`, {
          cause,
          hint: 'Let --hub-kubeconfig-dir name a directory that this process may write to.',
        });
      }
    },
  };
}
