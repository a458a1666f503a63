import { DataKey, SecretName } from '@flotilla/api-types';
import { type AccountKey, type OperatedHub, operatedAccounts } from '@flotilla/install';
import type { Clock, ClusterAccess } from '@flotilla/kube';
import { createToken, type Secret, serviceAccounts } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { formatTime } from '@flotilla/kube/meta';
import type { HubCluster } from './connections.ts';
import { ensureData, ensureGone, kubeconfigSecrets, type NamedObjects } from './named-objects.ts';

/** A year, as in OCM. The API server may give less. */
const tokenSeconds = 8640 * 3600;

/** For whom kubeconfigs are kept, and from what. */
export interface KubeconfigInput {
  readonly hub: OperatedHub;
  readonly cluster: HubCluster;
  readonly objects: NamedObjects;
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Keeps a kubeconfig for each program of a hosted hub, with a token of its account on the hub. Returns when one is to be renewed. */
export async function keepKubeconfigs(input: KubeconfigInput): Promise<number> {
  const { hub, cluster, objects } = input;
  const access = await cluster.access();
  const times: number[] = [];
  const names = new Set<string>();
  for (const account of operatedAccounts(hub)) {
    const name = SecretName.ServiceAccountKubeconfig.of({ serviceAccount: account.name });
    names.add(name);
    times.push(await keepKubeconfig(input, { account, name, access }));
  }
  for (const name of kubeconfigSecrets.filter((one) => !names.has(one))) {
    await ensureGone(objects.secret(name), `${hub.namespace}/${name}`);
  }
  return Math.min(...times);
}

async function keepKubeconfig(
  { hub, cluster, objects, labels, clock }: KubeconfigInput,
  { account, name, access }: { account: AccountKey; name: string; access: ClusterAccess },
): Promise<number> {
  const { namespace } = hub;
  const accountKey = `${account.namespace}/${account.name}`;
  const { metadata } = await cluster.client.resource(serviceAccounts).get(accountKey);
  const identity = {
    [DataKey.Kubeconfig]: encoded(programKubeconfig(access)),
    [DataKey.ServiceAccountNamespace]: encoded(account.namespace),
    [DataKey.ServiceAccountName]: encoded(account.name),
    [DataKey.ServiceAccountUid]: encoded(metadata?.uid ?? ''),
  };
  const cache = objects.secret(name);
  const stored = cache.get(`${namespace}/${name}`);
  const renewAt = tokenRenewal(stored, identity, clock.now());
  if (renewAt !== undefined) return renewAt;
  const requestedAt = clock.now();
  const { token, expirationTimestamp } = await createToken(cluster.client, accountKey, {
    expirationSeconds: tokenSeconds,
  });
  const data = {
    ...identity,
    [DataKey.Token]: encoded(token),
    [DataKey.TokenExpiration]: encoded(expirationTimestamp),
    [issuedKey]: encoded(formatTime(requestedAt)),
  };
  await ensureData(cache, { metadata: { namespace, name, labels: { ...labels } }, type: 'Opaque', data });
  return lateInLife(requestedAt, Date.parse(expirationTimestamp));
}

/** When the token was given: an API server may give a shorter life than was asked for. */
const issuedKey = 'issued';

/** A hub that gives tokens which have ended must not keep the operator busy. */
const leastPauseMs = 60_000;

const lateInLife = (from: number, to: number): number =>
  from + Math.max(leastPauseMs, Number.isNaN(to) ? 0 : (to - from) * 0.8);

/** When the token is to be replaced; undefined if now, or if the Secret is of another account or another hub. */
function tokenRenewal(
  secret: Secret | undefined,
  identity: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const data = secret?.data ?? {};
  if (Object.entries(identity).some(([key, value]) => data[key] !== value)) return undefined;
  const to = Date.parse(decoded(data[DataKey.TokenExpiration]));
  const given = Date.parse(decoded(data[issuedKey]));
  const renewAt = lateInLife(Number.isNaN(given) ? to - tokenSeconds * 1000 : given, to);
  return renewAt > now ? renewAt : undefined;
}

/** Beside the token, which it names without a directory: it is right wherever the Secret is mounted. */
function programKubeconfig({
  authorization: _,
  clientCertificate: _c,
  impersonate: _i,
  ...server
}: ClusterAccess): string {
  const document = kubeconfigFor(server);
  const users = document.users.map(({ name }) => ({ name, user: { tokenFile: DataKey.Token } }));
  return formatKubeconfig({ ...document, users });
}

const decoded = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString('utf8');
const encoded = (text: string): string => Buffer.from(text).toString('base64');
