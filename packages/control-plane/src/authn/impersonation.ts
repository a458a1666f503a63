import { KubeError } from '@flotilla/kube';
import { isDnsSubdomain } from '@flotilla/schema';
import { refusal } from '../authz/refusal.ts';
import type { Attributes, Authorizer } from '../contracts/authorizer.ts';
import type { ApiRequest } from '../contracts/exchange.ts';
import { parseServiceAccountUser, serviceAccountGroups } from '../contracts/service-account-name.ts';
import {
  allAuthenticated,
  allUnauthenticated,
  anonymousUser,
  systemMasters,
  type UserInfo,
} from '../contracts/user-info.ts';
import { goQuote } from '../errors/go-text.ts';
import { requestInfo } from '../requests/request-info.ts';
import { impersonatedUser } from './impersonation-headers.ts';

/** One mode of impersonation. */
interface Mode {
  /** Unset for the mode that needs only the verb `impersonate`. */
  readonly name?: string;
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

/**
 * The constrained modes come first: each needs `impersonate:<mode>` on the user, and `impersonate-on:<mode>:<verb>` on the requested resource.
 * The unconstrained mode, which allows all that the impersonated user may do, is last.
 */
const modes: readonly Mode[] = [
  {
    name: 'associated-node',
    applies: (wanted, requestor) =>
      isNameOnly(wanted) &&
      nodeOf(wanted.name) !== undefined &&
      parseServiceAccountUser(requestor.name) !== undefined &&
      nodeOf(wanted.name) === requestor.extra?.['authentication.kubernetes.io/node-name']?.join(),
  },
  { name: 'arbitrary-node', applies: (wanted) => isNameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  {
    name: 'serviceaccount',
    applies: (wanted) => isNameOnly(wanted) && parseServiceAccountUser(wanted.name) !== undefined,
  },
  {
    name: 'user-info',
    applies: ({ name }) => nodeOf(name) === undefined && parseServiceAccountUser(name) === undefined,
  },
  { applies: () => true },
];

/** Impersonates the user in the headers, if the requester may; otherwise refuses with the reason of the first mode. */
export function createImpersonation(authorizer: Authorizer): (request: ApiRequest, user: UserInfo) => UserInfo {
  return (request, requestor) => {
    const wanted = impersonatedUser(request);
    if (!wanted) return requestor;
    const attributes = requestInfo(request.method, request.path, request.query);
    let first: unknown;
    for (const mode of modes.filter(({ applies }) => applies(wanted, requestor))) {
      try {
        return become(authorizer, mode, wanted, requestor, attributes);
      } catch (error) {
        if (!KubeError.is(error, 'Forbidden')) throw error;
        first ??= error;
      }
    }
    throw first;
  };
}

function become(
  authorizer: Authorizer,
  { name: mode }: Mode,
  wanted: UserInfo,
  requestor: UserInfo,
  attributes: Attributes,
): UserInfo {
  const demand = (asked: Attributes): void => {
    const decision = authorizer.authorize(requestor, asked);
    if (!decision.allowed) throw refusal(requestor, asked, decision.reason);
  };
  if (mode !== undefined) demand({ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` });
  const verb = mode === undefined ? 'impersonate' : `impersonate:${mode}`;
  const base = { kind: 'resource', verb, group: authentication, version: 'v1' } as const;
  // The unconstrained mode treats users, groups and service accounts as core resources.
  const subject = { ...base, group: mode === undefined ? '' : authentication };

  demand({ ...subject, ...subjectOf(wanted.name, mode) });
  if (wanted.uid !== undefined) demand({ ...base, resource: 'uids', name: wanted.uid });
  if (mode !== undefined) checkGroups(wanted, requestor, subject);
  for (const group of wanted.groups) demand({ ...subject, resource: 'groups', name: group });
  if (mode !== undefined) checkExtra(wanted, requestor, base);
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const name of values) demand({ ...base, resource: 'userextras', subresource: key, name });
  }
  return withUsualGroups({ ...wanted, groups: groupsOf(wanted, mode) });
}

const authentication = 'authentication.k8s.io';

type ResourceBase = Omit<Extract<Attributes, { kind: 'resource' }>, 'resource'>;

/** Service accounts are authorized as serviceaccounts; the constrained modes authorize nodes as nodes. */
function subjectOf(
  user: string,
  mode: string | undefined,
): { readonly resource: string; readonly name: string; readonly namespace?: string } {
  const account = parseServiceAccountUser(user);
  if (account) return { resource: 'serviceaccounts', ...account };
  const node = mode === undefined ? undefined : nodeOf(user);
  if (node === undefined) return { resource: 'users', name: user };
  // Permission to impersonate the node that a pod runs on holds for every node.
  return { resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
}

/** The groups of a service account, and of a node, are known where none are given. */
function groupsOf({ name, groups }: UserInfo, mode: string | undefined): readonly string[] {
  const account = parseServiceAccountUser(name);
  if (account && groups.length === 0) return serviceAccountGroups(account.namespace);
  return mode !== undefined && nodeOf(name) !== undefined ? ['system:nodes'] : groups;
}

function withUsualGroups(user: UserInfo): UserInfo {
  const usual = user.name === anonymousUser ? allUnauthenticated : allAuthenticated;
  if (user.groups.includes(usual) || user.groups.includes(allUnauthenticated)) return user;
  return { ...user, groups: [...user.groups, usual] };
}

function checkGroups({ groups }: UserInfo, requestor: UserInfo, base: ResourceBase): void {
  if (groups.includes('')) {
    const attributes = { ...base, resource: 'groups' };
    throw refusal(requestor, attributes, 'impersonating the empty string group is not allowed');
  }
  if (groups.includes(systemMasters)) {
    const attributes = { ...base, resource: 'groups', name: systemMasters };
    throw refusal(requestor, attributes, 'impersonating the system:masters group is not allowed');
  }
}

function checkExtra({ extra = {} }: UserInfo, requestor: UserInfo, base: ResourceBase): void {
  const refuse = (why: string): KubeError => refusal(requestor, { ...base, resource: 'userextras' }, why);
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') throw refuse('impersonating the empty string key in extra is not allowed');
    if (!/^[a-z0-9][-a-z0-9.]*\/[^/].*$/.test(key)) {
      const rule = 'must be a domain-prefixed path (such as "acme.io/foo")';
      throw refuse(
        `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${goQuote(key)}: ${rule}`,
      );
    }
    if (values.includes('')) throw refuse('impersonating the empty string value in extra is not allowed');
  }
}

/** The node a user name stands for. */
function nodeOf(user: string): string | undefined {
  const name = user.startsWith('system:node:') ? user.slice('system:node:'.length) : '';
  return name !== '' && isDnsSubdomain(name) ? name : undefined;
}

const isNameOnly = ({ uid, groups, extra }: UserInfo): boolean =>
  uid === undefined && groups.length === 0 && extra === undefined;
