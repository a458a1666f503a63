/** Who sends a request, after authentication and impersonation. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Says whose a bearer token is. It is asked for each request that has one; what it throws refuses that request. */
export type AuthenticateToken = (token: string) => UserInfo | undefined | Promise<UserInfo | undefined>;

/** The group of all authenticated users. */
export const allAuthenticated = 'system:authenticated';
/** The group of anonymous requests. */
export const allUnauthenticated = 'system:unauthenticated';
/** The group of administrators: authorized for all requests, whatever the roles are. */
export const systemMasters = 'system:masters';
export const anonymousUser = 'system:anonymous';

/** The key in a user's `extra` that names the credential. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** The user as an authenticated one. */
export const asAuthenticated = (user: UserInfo): UserInfo =>
  user.groups.includes(allAuthenticated) ? user : { ...user, groups: [...user.groups, allAuthenticated] };
