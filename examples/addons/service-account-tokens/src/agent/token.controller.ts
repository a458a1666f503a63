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
  KubeError,
  on,
  ownerReferenceTo,
  owns,
  removeFinalizer,
} from '@flotilla/kube';
import { createToken, type Secret, type ServiceAccount, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { type ProjectedServiceAccount, projectedServiceAccounts } from '../projected-service-account.ts';
import { nextTokenIn, tokenAnnotations } from './token.policy.ts';
import { nameTaken, tokenReported } from './token.status.ts';

const finalizer = 'example.com/service-account';

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
  const accounts = managed.resource(serviceAccounts);

  const ensureAccount = async (name: string): Promise<ServiceAccount> => {
    const found = await accounts.find(`${namespace}/${name}`);
    return found ?? accounts.create({ metadata: { namespace, name } });
  };

  const removeAccount = (name: string) =>
    accounts.delete(`${namespace}/${name}`).catch((error: unknown) => {
      if (!KubeError.is(error, 'NotFound')) throw error;
    });

  const project = async (wanted: ProjectedServiceAccount, account: ServiceAccount): Promise<string> => {
    const name = wanted.metadata?.name ?? '';
    const expirationSeconds = wanted.spec?.validitySeconds ?? 3600;
    const { token, expirationTimestamp } = await createToken(managed, `${namespace}/${name}`, { expirationSeconds });
    const existing = tokens.get(`${clusterName}/${name}`);
    const secret = tokenSecret(existing, wanted, {
      token,
      [tokenAnnotations.issued]: new Date(clock.now()).toISOString(),
      [tokenAnnotations.expires]: expirationTimestamp,
      [tokenAnnotations.accountUid]: account.metadata?.uid ?? '',
    });
    await (existing ? tokens.replace(secret) : tokens.create(secret));
    return expirationTimestamp;
  };

  return defineController({
    name: 'service-account-tokens',
    watches: [on(projected), owns(tokens, projectedServiceAccounts)],
    async reconcile(key) {
      const wanted = projected.get(key);
      if (!wanted) return done;
      const name = wanted.metadata?.name ?? '';
      if (isDeleting(wanted)) {
        await removeAccount(name);
        await removeFinalizer(projected, wanted, finalizer);
        return done;
      }
      if (!(await addFinalizer(projected, wanted, finalizer))) return done;
      if (isForeign(wanted, tokens.get(key))) {
        await applyConditions(projected, wanted, [nameTaken(name)], { clock });
        return done;
      }
      const account = await ensureAccount(name);
      const wait = nextTokenIn(tokens.get(key), account.metadata?.uid ?? '', clock.now());
      if (wait > 0) return after(wait, 'a fifth of the life of the token is left');
      const expirationTimestamp = await project(wanted, account);
      await applyConditions(projected, wanted, [tokenReported(name, expirationTimestamp)], { clock });
      return done;
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
