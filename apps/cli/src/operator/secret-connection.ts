import { keyOf, secretAccess } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { of } from 'rxjs';
import type { CliContext, Connection } from '../context.ts';

/**
 * Connects by a kubeconfig that a Secret of a cluster has under a key. Who may write there must not decide what runs on the machine of
 * this user, or which of its files are read: programs are refused, and files are other keys of the Secret.
 */
export async function connectBySecret(
  { connector, clock }: Pick<CliContext, 'connector' | 'clock'>,
  secret: Secret,
  key: string,
): Promise<Connection> {
  const source = secretAccess({ data: of(secret.data ?? {}), origin: `Secret ${keyOf(secret)}`, clock, key });
  try {
    return await connector.toServer(await source.current());
  } finally {
    source.close();
  }
}
