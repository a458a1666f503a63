import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { startCluster } from '@flotilla/envtest';
import { type ClusterAccess, createToken, type KubeClient, kubeconfigFor, writeKubeconfig } from '@flotilla/kube';
import { parseAllDocuments } from 'yaml';

/** What a suite runs on: our API server in this process, or a real one with etcd and the controller manager. */
export const serverKinds = ['embedded', 'kube-apiserver'] as const;
export type ServerKind = (typeof serverKinds)[number];

/** An API server with its administrator. */
export interface Server extends AsyncDisposable {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

/** Starts an API server that knows Flotilla's kinds. */
export const startServer = (kind: ServerKind): Promise<Server> => {
  const crds = customResourceDefinitions();
  return kind === 'embedded' ? startControlPlane({ crds }) : startCluster({ crds });
};

/** The objects of a manifest that an app is deployed with. */
export async function manifest(app: string, file: string): Promise<KubeObject[]> {
  const text = await readFile(new URL(`../../apps/${app}/deploy/${file}`, import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** Applies manifests of an app. */
export async function deploy(server: Server, app: string, files: readonly string[]): Promise<void> {
  for (const file of files) for (const object of await manifest(app, file)) await apply(server, object);
}

/** Makes an object be as it is written. */
export async function apply({ client }: Server, object: KubeObject): Promise<void> {
  const handle = await client.dynamic({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' });
  await handle.apply(object, { fieldManager: 'e2e', force: true });
}

/** Writes a kubeconfig of a service account, as a pod would have it, and gives its path. */
export async function kubeconfigOf({ client, access }: Server, account: string, directory: string): Promise<string> {
  const { token } = await createToken(client, account, { expirationSeconds: 7200 });
  const path = join(directory, `${account.replace('/', '-')}.yaml`);
  const { server, ca } = access;
  await writeKubeconfig(path, kubeconfigFor({ server, ca, authorization: `Bearer ${token}`, origin: account }));
  return path;
}
