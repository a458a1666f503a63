import { bootstrapTokenId, GroupName } from '@flotilla/api-types';
import { withOwner } from '@flotilla/install';
import { type Clock, type KubeClient, keyOf } from '@flotilla/kube';
import {
  bootstrapTokenSecret,
  formatBootstrapToken,
  newBootstrapToken,
  readBootstrapToken,
  type StoredBootstrapToken,
} from '@flotilla/kube/bootstrap-token';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { cliOwner } from '../cluster/owner.ts';
import { signAgain } from './join-tokens.ts';

/** OCM's lives for ever. */
const lifeMs = 86_400_000;
/** One that expires sooner is replaced: the user needs time to use it. */
const leastLifeMs = 3_600_000;

const secretOf = (token: StoredBootstrapToken): Secret => {
  const secret = bootstrapTokenSecret(token);
  return withOwner(cliOwner, { ...secret, metadata: { ...secret.metadata, labels: { app: 'cluster-manager' } } });
};

/** Where the bootstrap token of the hub is. */
export function bootstrapTokenReference(): Secret {
  const { data: _, ...reference } = secretOf({ id: bootstrapTokenId, secret: '', usages: [], groups: [] });
  return reference;
}

/** The bootstrap token of the hub as it is; a new one, which is not written yet, if there is none that lives for another hour. */
export async function currentBootstrapToken(
  client: KubeClient,
  clock: Clock,
): Promise<{ secret: string; token: string; expires: string; isNew: boolean; object: Secret }> {
  const found = await client.resource(secrets).find(keyOf(bootstrapTokenReference()));
  const stored = found && readBootstrapToken(found);
  if (stored && (stored.expiresAt ?? Number.POSITIVE_INFINITY) - clock.now() > leastLifeMs) {
    return { ...described(stored), isNew: false, object: found };
  }
  const fresh: StoredBootstrapToken = {
    ...newBootstrapToken(),
    id: bootstrapTokenId,
    expiresAt: clock.now() + lifeMs,
    usages: ['signing', 'authentication'],
    groups: [GroupName.Bootstrappers],
  };
  return { ...described(fresh), isNew: true, object: secretOf(fresh) };
}

/** The bootstrap token of the hub, which is written if it is new. */
export async function bootstrapTokenOf(client: KubeClient, clock: Clock): Promise<{ token: string; expires: string }> {
  const { token, expires, isNew, object } = await currentBootstrapToken(client, clock);
  if (isNew) {
    await client.resource(secrets).apply(object, { fieldManager: cliOwner.fieldManager, force: true });
    await signAgain(client, clock);
  }
  return { token, expires: expires || 'never' };
}

const described = (token: StoredBootstrapToken): { secret: string; token: string; expires: string } => ({
  secret: token.secret,
  token: formatBootstrapToken(token),
  expires: token.expiresAt === undefined ? '' : formatTime(token.expiresAt),
});
