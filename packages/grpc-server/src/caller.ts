/** Who sent an event, as the API server knows it. */
export interface Caller {
  readonly user: string;
  readonly groups: readonly string[];
  /** How the caller proved it. A token can be revoked at any time; a certificate ends at a known one. */
  readonly by: { readonly token: string } | { readonly certificateUntil: number };
}

const agentUser = /^system:open-cluster-management:([^:]+):[^:]+$/;

/** The cluster whose agent the caller is; undefined for others, such as a bootstrap user. */
export const clusterOfCaller = ({ user }: Pick<Caller, 'user'>): string | undefined => agentUser.exec(user)?.[1];
