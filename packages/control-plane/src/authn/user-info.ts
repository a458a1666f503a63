/** Who sends a request, after authentication and impersonation. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Everybody who proved who they are. */
export const allAuthenticated = 'system:authenticated';
/** Everybody else. */
export const allUnauthenticated = 'system:unauthenticated';
/** May do everything, whatever the roles say. */
export const systemMasters = 'system:masters';
export const anonymousUser = 'system:anonymous';

/** Which credential was used, as a user's `extra` tells it. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** The user as an authenticated one. */
export const asAuthenticated = (user: UserInfo): UserInfo =>
  user.groups.includes(allAuthenticated) ? user : { ...user, groups: [...user.groups, allAuthenticated] };
