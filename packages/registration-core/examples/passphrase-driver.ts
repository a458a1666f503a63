import { createHmac, timingSafeEqual } from 'node:crypto';
import { DataKey, GroupName, managedClusters, UserName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { defineOptions } from '@flotilla/kube/process';
import {
  type AgentIdentity,
  type CredentialVerdict,
  defineDriver,
  type StoredCredentials,
} from '@flotilla/registration-core/contract';

/**
 * An auth type as somebody else would write one: whoever knows a passphrase may join. The agent signs who it is and since when;
 * a token webhook in front of the hub's API server answers what `userOf` finds out. For learning, not for use: one passphrase
 * lets everybody be anybody.
 */
export const passphraseDriver = defineDriver({
  authType: 'passphrase',
  options: {
    agent: defineOptions({
      passphrase: { type: 'string', required: true, description: 'What only the hub and its clusters know.' },
    }),
    hub: {},
  },
  agent({ identity, options: { passphrase }, clock }) {
    const judge = (stored: StoredCredentials): CredentialVerdict => {
      const claims = readToken(stored[DataKey.Token] ?? '', passphrase);
      const isOwn = claims?.clusterName === identity.clusterName && claims.agentName === identity.agentName;
      if (!claims || !isOwn) return { usable: false, reason: 'OtherToken', message: 'there is no token of this agent' };
      const expiresAt = claims.issuedAt + lifeMs;
      return expiresAt > clock.now()
        ? { usable: true, expiresAt }
        : { usable: false, reason: 'Expired', message: 'the token has ended' };
    };
    return {
      judge,
      kubeconfigUser: () => ({ tokenFile: DataKey.Token }),
      access: (stored) => (stored[DataKey.Token] ? { authorization: `Bearer ${stored[DataKey.Token]}` } : {}),
      connect() {},
      async obtain(stored) {
        const verdict = judge(stored);
        const renewInMs = verdict.usable ? (verdict.expiresAt ?? 0) - lifeMs / 4 - clock.now() : 0;
        if (renewInMs > 0) return { kind: 'unchanged', nextCheckMs: renewInMs };
        return { kind: 'obtained', credentials: { [DataKey.Token]: writeToken(identity, clock.now(), passphrase) } };
      },
      decorate: (cluster) => cluster,
      async checkConnection({ hub, signal }) {
        try {
          await hub.resource(managedClusters).find(identity.clusterName, { signal });
          return { usable: true };
        } catch (error) {
          const { code, message } = KubeError.from(error);
          return { usable: false, reason: code, message };
        }
      },
    };
  },
  hub: () => ({
    controllers: [],
    async createPermissions() {},
    async cleanUp() {},
    accepts: () => true,
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

/** Who a token stands for: what the token webhook of the hub answers. */
export function userOf(authorization: string, passphrase: string, now: number) {
  const claims = readToken(authorization.replace('Bearer ', ''), passphrase);
  if (!claims || claims.issuedAt + lifeMs < now) return undefined;
  const { clusterName: cluster, agentName: agent } = claims;
  const groups = [GroupName.Cluster.of({ cluster }), GroupName.ManagedClusters, 'system:authenticated'];
  return { name: UserName.Agent.of({ cluster, agent }), groups };
}
