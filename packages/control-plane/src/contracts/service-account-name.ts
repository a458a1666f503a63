import { isDnsLabel, isDnsSubdomain } from '@flotilla/schema';

const prefix = 'system:serviceaccount:';

/** The user name of a service account. */
export const serviceAccountUser = (namespace: string, name: string): string => `${prefix}${namespace}:${name}`;

/** The groups every service account of a namespace is in. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** The service account a user name stands for; undefined for any other user. */
export function parseServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(prefix.length).split(':');
  return more.length === 0 && isDnsLabel(namespace) && isDnsSubdomain(name) ? { namespace, name } : undefined;
}
