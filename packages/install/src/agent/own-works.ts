import { type AppliedManifestWork, DataKey, type Klusterlet, NamespaceName, SecretName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { readEndpoint } from '@flotilla/registration-core/kube-hub';
import { hubHashOf } from '@flotilla/work-agent';

/** Whether a record of applied works belongs to the membership that ends. */
export type IsOwnWork = (work: AppliedManifestWork) => boolean;

/**
 * Which records belong to a membership. All of them if the cluster has no other one; else those of its hub, because what other hubs
 * applied must stay as it is. None if the hub is not known any more: a record that is left removes nothing.
 */
export async function ownWorks(
  client: KubeClient,
  klusterlet: Klusterlet | undefined,
  others: readonly Klusterlet[],
): Promise<IsOwnWork> {
  if (others.length === 0) return () => true;
  const namespace = klusterlet?.spec?.namespace ?? NamespaceName.Agent;
  const names = [SecretName.BootstrapHubKubeconfig, SecretName.HubKubeconfig];
  const servers = await Promise.all(names.map((name) => serverOf(client, `${namespace}/${name}`)));
  const hashes = new Set(servers.flatMap((server) => (server === undefined ? [] : [hubHashOf(server)])));
  return ({ spec }) => hashes.has(spec?.hubHash ?? '');
}

async function serverOf(client: KubeClient, secretKey: string): Promise<string | undefined> {
  const found = await client.resource(secrets).find(secretKey);
  try {
    return readEndpoint(Buffer.from(found?.data?.[DataKey.Kubeconfig] ?? '', 'base64').toString('utf8')).server;
  } catch {
    return undefined;
  }
}
