import type { ConfigMap } from '@flotilla/kube/kinds';
import type { HubUser } from '../member/member.ts';

/** Whom to believe about users: the front proxy of the hub's API server, and in which headers. */
export interface FrontProxyTrust {
  /** PEM of the authority that signs the front proxy. */
  readonly ca: string;
  /** Common names of the front proxy; empty: any that the authority signed. */
  readonly allowedNames: readonly string[];
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Where API servers publish it. */
export const trustConfigMap = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;

/** Undefined if the API server has no front proxy: then nobody is believed. */
export function trustOf(configMap: ConfigMap | undefined): FrontProxyTrust | undefined {
  const { data = {} } = configMap ?? {};
  const ca = data['requestheader-client-ca-file'];
  const userHeaders = headerNames(data['requestheader-username-headers']);
  if (!ca || userHeaders.length === 0) return undefined;
  return {
    ca,
    allowedNames: textList(data['requestheader-allowed-names']),
    userHeaders,
    uidHeaders: headerNames(data['requestheader-uid-headers']),
    groupHeaders: headerNames(data['requestheader-group-headers']),
    extraPrefixes: headerNames(data['requestheader-extra-headers-prefix']),
  };
}

/** Headers by name, several of one name as a list. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The user that the front proxy names; undefined if it names none. */
export function remoteUser(trust: FrontProxyTrust, headers: DistinctHeaders): HubUser | undefined {
  const first = (names: readonly string[]) =>
    names.flatMap((name) => headers[name] ?? []).find((value) => value !== '');
  const name = first(trust.userHeaders);
  if (name === undefined) return undefined;
  const uid = first(trust.uidHeaders);
  const groups = trust.groupHeaders.flatMap((header) => headers[header] ?? []);
  const extra: Record<string, string[]> = {};
  for (const [header, values] of Object.entries(headers)) {
    const prefix = trust.extraPrefixes.find((one) => header.startsWith(one));
    if (prefix !== undefined) extra[unescaped(header.slice(prefix.length))] = [...(values ?? [])];
  }
  return { name, groups, extra, ...(uid !== undefined && { uid }) };
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const headerNames = (json: string | undefined): string[] => textList(json).map((name) => name.toLowerCase());

function textList(json: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(json ?? '[]');
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
