import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { type StoredBootstrapToken, signatureChanges } from '@flotilla/kube/bootstrap-token';
import { configMaps } from '@flotilla/kube/kinds';

const key = `${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`;

/**
 * Signs what the hub says about itself with its tokens, as the bootstrap signer of Kubernetes does where it runs; the bytes are the
 * same. So the programs of the hub need not read tokens.
 */
export async function signClusterInfo(
  client: KubeClient,
  tokens: readonly StoredBootstrapToken[],
  now: number,
): Promise<void> {
  const found = await client.resource(configMaps).find(key);
  const data = signatureChanges(found?.data, tokens, now);
  if (!data) return;
  const metadata = { resourceVersion: found?.metadata?.resourceVersion };
  await client.resource(configMaps).patch(key, { type: 'merge', body: { metadata, data } });
}
