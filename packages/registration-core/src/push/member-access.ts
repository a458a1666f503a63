import {
  type AccessSource,
  type Clock,
  type ClusterAccess,
  type Informer,
  KubeError,
  secretAccess,
} from '@flotilla/kube';
import { type Secret, secretData } from '@flotilla/kube/kinds';
import { readEndpoint } from '../kube-hub/hub-kubeconfig.ts';
import { MemberSecretEntry, memberSecretKey } from './member-secret.ts';

/** What the access to a pushed cluster is read from. */
export interface MemberAccessOptions {
  /** The Secrets `member-access` of the hub: `informers.resource(secrets, { fieldSelector: 'metadata.name=member-access' })`. */
  readonly secrets: Pick<Informer<Secret>, 'changes' | 'has' | 'whenSynced'>;
  readonly clusterName: string;
  readonly clock: Clock;
}

/**
 * The access to a pushed cluster, as its Secret has it now: a replaced token, CA or proxy is used without a restart. `current` throws
 * `Config` while the Secret is absent or wrong; the last good access stays in use.
 */
export function memberAccess({ secrets, clusterName, clock }: MemberAccessOptions): AccessSource {
  const key = memberSecretKey(clusterName);
  const origin = `Secret ${key}`;
  return secretAccess({ data: secretData(secrets, key), origin, clock, extras: (entry) => extrasOf(entry, origin) });
}

/** The certificate of a member is always verified, whatever the kubeconfig says. */
const extrasOf = (entry: (key: string) => string | undefined, origin: string): Partial<ClusterAccess> => ({
  insecureSkipTlsVerify: false,
  ...proxyExtras(entry, origin),
});

/** What a kubeconfig has no field for. */
function proxyExtras(entry: (key: string) => string | undefined, origin: string): Pick<ClusterAccess, ProxyExtra> {
  const proxyCa = entry(MemberSecretEntry.ProxyCa);
  const headers = entry(MemberSecretEntry.ProxyHeaders);
  return {
    ...(proxyCa !== undefined && { proxyCa }),
    ...(headers !== undefined && { proxyHeaders: headersOf(headers, origin) }),
  };
}

type ProxyExtra = 'proxyCa' | 'proxyHeaders';

/** The proxy by which a hub reaches a pushed cluster, as its Secret has it. Throws `Config` if it cannot be read. */
export function readMemberProxy({ metadata, data = {} }: Secret): Pick<ClusterAccess, ProxyExtra | 'proxyUrl'> {
  const entry = entryOf(data);
  const { proxyUrl } = readEndpoint(entry(MemberSecretEntry.Kubeconfig) ?? '');
  if (proxyUrl === undefined) return {};
  return { proxyUrl, ...proxyExtras(entry, `Secret ${metadata?.namespace}/${metadata?.name}`) };
}

const entryOf =
  (data: Readonly<Record<string, string>>) =>
  (key: string): string | undefined =>
    data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString();

function headersOf(text: string, origin: string): Record<string, string> {
  const wrong = () =>
    new KubeError('Config', `${MemberSecretEntry.ProxyHeaders} of ${origin} is not a JSON object of texts`, {
      hint: 'The form is {"X-Header": "value"}.',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The cause would quote what may be a password.
    throw wrong();
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong();
  const entries = Object.entries(parsed);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) throw wrong();
  return Object.fromEntries(entries);
}

/** What the Secret of a pushed cluster says beside how to reach it. */
export interface MemberRecord {
  readonly token: string;
  /** Absent: the token is not renewed. */
  readonly serviceAccount?: string;
  readonly hubServer: string;
  /** PEM. */
  readonly hubCa?: string;
  readonly formerHubServers: readonly string[];
}

/** Reads it. Throws `Config` with the entry that is missing or wrong. */
export function readMemberRecord({ metadata, data = {} }: Secret): MemberRecord {
  const origin = `Secret ${metadata?.namespace}/${metadata?.name}`;
  const entry = entryOf(data);
  const required = (key: string): string => {
    const value = entry(key);
    if (value) return value;
    throw new KubeError('Config', `${origin} has no entry ${key}`, {
      hint: 'Write it anew: flotilla join NAME --push --cluster-kubeconfig FILE.',
    });
  };
  const serviceAccount = entry(MemberSecretEntry.ServiceAccount);
  const hubCa = entry(MemberSecretEntry.HubCa);
  return {
    token: required(MemberSecretEntry.Token),
    ...(serviceAccount && { serviceAccount }),
    hubServer: required(MemberSecretEntry.HubServer),
    ...(hubCa !== undefined && { hubCa }),
    formerHubServers: addressesOf(entry(MemberSecretEntry.FormerHubServers), origin),
  };
}

function addressesOf(text: string | undefined, origin: string): readonly string[] {
  if (text === undefined) return [];
  const parsed: unknown = parseOrUndefined(text);
  if (Array.isArray(parsed) && parsed.every((one): one is string => typeof one === 'string')) return parsed;
  throw new KubeError('Config', `${MemberSecretEntry.FormerHubServers} of ${origin} is not a JSON array of texts`);
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
