import { type SignRequest, signWith } from '@flotilla/addon-sdk';
import { DataKey, NamespaceName, SecretName } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import type { KeyPair } from '@flotilla/kube/pki';
import type { SigningCa } from './registrations.ts';

/** What certificates are signed with. */
export interface SigningOptions {
  readonly client: KubeClient;
  /** Of the Secrets of templates that name none: that of the add-on manager. */
  readonly namespace: string;
  readonly clock: Clock;
}

/** Signs requests of the agents of a template with the authority in a Secret, which is read for each, so that it may change. */
export const signingWith =
  ({ client, namespace, clock }: SigningOptions) =>
  (ca: SigningCa): SignRequest =>
    signWith({
      authority: ({ context: { signal } }) => {
        const secret = { namespace: ca.namespace || namespace, name: ca.name };
        requireNotOfHub(secret, [namespace, NamespaceName.Hub]);
        return readAuthority(client, `${secret.namespace}/${secret.name}`, signal);
      },
      clock,
    });

/** Certificates of the hub's own authority are believed by its gRPC server and the clients of its webhooks. */
function requireNotOfHub({ namespace, name }: Required<SigningCa>, hubNamespaces: readonly string[]): void {
  if (name !== SecretName.Signer || !hubNamespaces.includes(namespace)) return;
  throw new KubeError('Config', `Secret ${namespace}/${name} is the authority of the hub itself`, {
    hint: 'Name a Secret with an authority of the add-on in registration.customSigner.signingCA.',
  });
}

async function readAuthority(client: KubeClient, key: `${string}/${string}`, signal: AbortSignal): Promise<KeyPair> {
  const secret = await client.resource(secrets).find(key, { signal });
  const text = (name: string) => Buffer.from(secret?.data?.[name] ?? '', 'base64').toString('utf8');
  const pair = { certificate: text(DataKey.TlsCertificate), key: text(DataKey.TlsKey) };
  if (pair.certificate && pair.key) return pair;
  throw new KubeError('Config', secret ? `Secret ${key} has no tls.crt and tls.key` : `Secret ${key} is not there`, {
    hint: 'Create it with the certificate and the key of the authority that registration.customSigner.signingCA names, and let the add-on manager get it.',
  });
}
