import { Label, NamespaceName, SecretName } from '@flotilla/api-types';
import type { Secret } from '@flotilla/kube/kinds';
import type { ImageCredentials } from './values.ts';

/** The secret by which images are pulled; the operator copies it to where it runs pods. */
export const pullSecret = (
  app: string,
  { registry, imageCredentials }: { readonly registry: string; readonly imageCredentials: ImageCredentials },
): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SecretName.ImagePullCredentials, namespace: NamespaceName.Operator, labels: { [Label.App]: app } },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': base64(dockerConfig(registry, imageCredentials)) },
});

function dockerConfig(registry: string, { userName, password, dockerConfigJson }: ImageCredentials): string {
  if (userName === '' || password === '') return dockerConfigJson || '{}';
  const auth = base64(`${userName}:${password}`);
  // Keys in the order of their names, in which Helm writes them.
  return JSON.stringify({ auths: { [registry]: { auth, password, username: userName } } });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
