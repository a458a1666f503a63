import { createHmac, timingSafeEqual } from 'node:crypto';
import { DataKey, GroupName, UserName } from '@flotilla/api-types';
import { defineOptions } from '@flotilla/process';
import {
  type AgentIdentity,
  authTypeAnnotation,
  type CredentialState,
  declaredAuthType,
  defineDriver,
  type StoredCredentials,
} from '@flotilla/registration-core/contract';
import { kubeBootstrapOptions, kubeHub } from '@flotilla/registration-core/kube-hub';

const authType = 'passphrase';

/**
 * An auth type as a third party would write one: whoever knows a passphrase may join. The agent signs who it is and since when; a
 * token webhook of the hub's API server answers with what `userOf` returns. For learning only: one passphrase allows every identity.
 */
export const passphraseDriver = defineDriver({
  authType,
  options: {
    agent: defineOptions({
      ...kubeBootstrapOptions,
      passphrase: { type: 'string', required: true, description: 'What only the hub and its clusters know.' },
    }),
    hub: {},
  },
  agent(context) {
    const { identity, clock } = context;
    const { passphrase } = context.options;
    const evaluate = (stored: StoredCredentials): CredentialState => {
      const claims = readToken(stored[DataKey.Token] ?? '', passphrase);
      const isOwn = claims?.clusterName === identity.clusterName && claims.agentName === identity.agentName;
      if (!claims) return { usable: false, reason: 'Missing', message: 'there is no token' };
      if (!isOwn) return { usable: false, reason: 'OtherIdentity', message: 'the token is that of another agent' };
      const expiresAt = claims.issuedAt + lifeMs;
      return expiresAt > clock.now()
        ? { usable: true, expiresAt }
        : { usable: false, reason: 'Expired', message: 'the token has ended' };
    };
    /** A token that replaces a refused one, until the next is stored. */
    let refreshed: string | undefined;
    const credentials = {
      current: (stored: StoredCredentials) => ({ authorization: `Bearer ${refreshed ?? stored[DataKey.Token]}` }),
      invalidate() {
        refreshed = writeToken(identity, clock.now(), passphrase);
      },
    };
    return {
      ...kubeHub(context, { user: { tokenFile: DataKey.Token }, credentials }),
      evaluate,
      start: () => async (stored) => {
        const state = evaluate(stored);
        const afterMs = state.usable ? (state.expiresAt ?? 0) - lifeMs / 4 - clock.now() : 0;
        if (afterMs > 0) return { kind: 'unchanged', next: { afterMs, why: 'the token is due for renewal' } };
        refreshed = undefined;
        return { kind: 'obtained', credentials: { [DataKey.Token]: writeToken(identity, clock.now(), passphrase) } };
      },
      decorate: (cluster) => ({
        ...cluster,
        metadata: {
          ...cluster.metadata,
          annotations: { ...cluster.metadata?.annotations, [authTypeAnnotation]: authType },
        },
      }),
    };
  },
  hub: () => ({
    controllers: [],
    accepts: (cluster) => (declaredAuthType(cluster) === authType ? 'accept' : 'not mine'),
    subjects: (cluster) => [
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: GroupName.Cluster.of({ cluster }) },
    ],
    clusterRules: () => [],
  }),
});

const lifeMs = 3_600_000;

interface Claims extends AgentIdentity {
  readonly issuedAt: number;
}

const sign = (claims: string, passphrase: string): Buffer => createHmac('sha256', passphrase).update(claims).digest();

function writeToken({ clusterName, agentName }: AgentIdentity, issuedAt: number, passphrase: string): string {
  const claims = Buffer.from(JSON.stringify({ clusterName, agentName, issuedAt })).toString('base64url');
  return `${claims}.${sign(claims, passphrase).toString('base64url')}`;
}

function readToken(token: string, passphrase: string): Claims | undefined {
  const [claims = '', signature = ''] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  const right = sign(claims, passphrase);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

/** The user that a token stands for: what the token webhook of the hub answers. */
export function userOf(authorization: string, passphrase: string, now: number) {
  const claims = readToken(authorization.replace('Bearer ', ''), passphrase);
  if (!claims || claims.issuedAt + lifeMs < now) return undefined;
  const { clusterName: cluster, agentName: agent } = claims;
  const groups = [GroupName.Cluster.of({ cluster }), GroupName.ManagedClusters, 'system:authenticated'];
  return { name: UserName.Agent.of({ cluster, agent }), groups };
}
