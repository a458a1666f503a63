const prefix = 'system:serviceaccount:';
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a text can be the name of an object that is named like a DNS subdomain: a service account, a node. */
export const isSubdomain = (text: string): boolean => text.length <= 253 && dnsSubdomain.test(text);

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
  return more.length === 0 && dnsLabel.test(namespace) && isSubdomain(name) ? { namespace, name } : undefined;
}
