import { randomInt } from 'node:crypto';
import { bootstrapTokenId, GroupName, NamespaceName, SecretName } from '@flotilla/api-types';
import { withOwner } from '@flotilla/install';
import { type Clock, type KubeClient, keyOf } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import { cliOwner } from '../cluster/owner.ts';

/** OCM's lives for ever. */
const lifeMs = 86_400_000;
/** One that expires sooner is replaced: the user needs time to use it. */
const leastLifeMs = 3_600_000;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Where the bootstrap token is. */
export const bootstrapTokenSecret = (): Secret =>
  withOwner(cliOwner, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SecretName.BootstrapToken.of({ tokenId: bootstrapTokenId }),
      namespace: NamespaceName.KubeSystem,
      labels: { app: 'cluster-manager' },
    },
    type: 'bootstrap.kubernetes.io/token',
  });

/** The bootstrap token of the hub; a new one if there is none that lives for another hour. */
export async function bootstrapTokenOf(client: KubeClient, clock: Clock): Promise<{ token: string; expires: string }> {
  const found = await client.resource(secrets).find(keyOf(bootstrapTokenSecret()));
  const text = (key: string) => Buffer.from(found?.data?.[key] ?? '', 'base64').toString();
  const expires = text('expiration');
  const lasts = found !== undefined && (expires === '' || Date.parse(expires) - clock.now() > leastLifeMs);
  if (lasts) return { token: `${text('token-id')}.${text('token-secret')}`, expires: expires || 'never' };
  const fresh = newToken(clock.now());
  await client.resource(secrets).apply(fresh.secret, { fieldManager: cliOwner.fieldManager, force: true });
  return fresh;
}

function newToken(now: number): { token: string; expires: string; secret: Secret } {
  const tokenSecret = Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('');
  const expires = `${new Date(now + lifeMs).toISOString().slice(0, 19)}Z`;
  const data = {
    'token-id': bootstrapTokenId,
    'token-secret': tokenSecret,
    expiration: expires,
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': GroupName.Bootstrappers,
  };
  return {
    token: `${bootstrapTokenId}.${tokenSecret}`,
    expires,
    secret: {
      ...bootstrapTokenSecret(),
      data: Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    },
  };
}
