import {
  addFinalizer,
  after,
  applyConditions,
  type Clock,
  type Controller,
  defineController,
  done,
  type Informers,
  isDeleting,
  type KubeClient,
  on,
  ownerReferenceTo,
  owns,
  removeFinalizer,
} from '@flotilla/kube';
import { createToken, type Secret, type ServiceAccount, secrets } from '@flotilla/kube/kinds';
import { type ProjectedServiceAccount, projectedServiceAccounts } from '../projected-service-account.ts';
import { ownAccounts } from './own-accounts.ts';
import { nextTokenIn, tokenAnnotations } from './token.policy.ts';
import { accountTaken, nameTaken, tokenReported } from './token.status.ts';

const finalizer = 'example.com/service-account';
/** Service accounts of others are not watched. */
const takenAgainMs = 60_000;

/** Where an agent works. */
export interface TokenDeps {
  /** Caches of the hub, of the namespace of the cluster only. */
  readonly hub: Informers;
  readonly clusterName: string;
  readonly managed: KubeClient;
  /** Where the service accounts are on the managed cluster. */
  readonly namespace: string;
  readonly clock: Clock;
}

/** Keeps a token on the hub for each ProjectedServiceAccount of the cluster. */
export function tokenController({ hub, clusterName, managed, namespace, clock }: TokenDeps): Controller {
  const projected = hub.resource(projectedServiceAccounts, { namespace: clusterName });
  const tokens = hub.resource(secrets, { namespace: clusterName });
  const accounts = ownAccounts(managed, namespace);

  const project = async (wanted: ProjectedServiceAccount, account: ServiceAccount): Promise<Secret> => {
    const name = wanted.metadata?.name ?? '';
    const expirationSeconds = wanted.spec?.validitySeconds ?? 3600;
    const { token, expirationTimestamp } = await createToken(managed, accounts.keyOf(wanted), { expirationSeconds });
    const existing = tokens.get(`${clusterName}/${name}`);
    const secret = tokenSecret(existing, wanted, {
      token,
      [tokenAnnotations.issued]: new Date(clock.now()).toISOString(),
      [tokenAnnotations.expires]: expirationTimestamp,
      [tokenAnnotations.accountUid]: account.metadata?.uid ?? '',
    });
    return existing ? tokens.replace(secret) : tokens.create(secret);
  };

  return defineController({
    name: 'service-account-tokens',
    watches: [on(projected), owns(tokens, projectedServiceAccounts)],
    async reconcile(key) {
      const wanted = projected.get(key);
      if (!wanted) return done;
      const name = wanted.metadata?.name ?? '';
      if (isDeleting(wanted)) {
        await accounts.remove(wanted);
        await removeFinalizer(projected, wanted, finalizer);
        return done;
      }
      if (!(await addFinalizer(projected, wanted, finalizer))) return done;
      if (isForeign(wanted, tokens.get(key))) {
        await applyConditions(projected, wanted, [nameTaken(name)], { clock });
        return done;
      }
      const account = await accounts.ensure(wanted);
      if (!account) {
        await applyConditions(projected, wanted, [accountTaken(accounts.keyOf(wanted))], { clock });
        return after(takenAgainMs, 'another service account may be gone');
      }
      const secret = tokens.get(key);
      const wait = nextTokenIn(secret, account.metadata?.uid ?? '', clock.now());
      const current = secret && wait > 0 ? secret : await project(wanted, account);
      // Also of a token from before: the status may not have been written then.
      await applyConditions(projected, wanted, [tokenReported(current)], { clock });
      return wait > 0 ? after(wait, 'a fifth of the life of the token is left') : done;
    },
  });
}

/** A token in a Secret of another owner would be readable for whoever reads that. */
const isForeign = (wanted: ProjectedServiceAccount, secret: Secret | undefined): boolean =>
  secret !== undefined && !secret.metadata?.ownerReferences?.some(({ uid }) => uid === wanted.metadata?.uid);

/** The Secret of a token, owned by what asks for it. */
const tokenSecret = (
  existing: Secret | undefined,
  wanted: ProjectedServiceAccount,
  { token = '', ...annotations }: Record<string, string>,
): Secret => ({
  ...existing,
  metadata: {
    ...existing?.metadata,
    namespace: wanted.metadata?.namespace,
    name: wanted.metadata?.name,
    ownerReferences: [ownerReferenceTo(projectedServiceAccounts, wanted, { controller: true })],
    annotations,
  },
  data: { token: Buffer.from(token).toString('base64') },
});
