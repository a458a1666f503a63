import type { STSClient } from '@aws-sdk/client-sts';
import type { Clock } from '@flotilla/kube';
import { createStsClient } from '../aws-clients.ts';
import { assumeRole, type RoleSession } from './assume-role.ts';
import { type EksToken, presignToken, type TokenTarget } from './presigned-token.ts';

/** What tokens are made from. */
export interface TokenSourceInput {
  /** Default: a client with the credentials of the process. */
  readonly sts?: STSClient;
  readonly hub: TokenTarget;
  /** Role in the hub's account; undefined to sign with the process's own credentials. */
  readonly roleArn: string | undefined;
  readonly sessionName: string;
  readonly clock: Clock;
}

/** Makes tokens on demand, and keeps the session of the role between them. */
export interface TokenSource {
  mint(signal: AbortSignal): Promise<EksToken>;
  /** The hub refused a token: forget the session, so that the next token comes from a new one. */
  forget(): void;
  close(): void;
}

/** A session is renewed when less than this is left, so that no token outlives the keys that signed it. */
const sessionMarginMs = 16 * 60_000;

/** Tokens for the hub, signed by the role that the hub created for this cluster. */
export function createTokenSource(input: TokenSourceInput): TokenSource {
  const { hub, roleArn, sessionName, clock, sts = createStsClient(hub.region) } = input;
  let session: RoleSession | undefined;
  /** The call that is under way: connections that need a token at the same moment share it. */
  let assuming: Promise<RoleSession> | undefined;

  const assume = async (role: string, signal: AbortSignal): Promise<RoleSession> => {
    assuming ??= assumeRole(sts, role, sessionName, signal).finally(() => {
      assuming = undefined;
    });
    return assuming;
  };
  const credentials = async (signal: AbortSignal) => {
    if (roleArn === undefined) return sts.config.credentials();
    if (!session || session.expiresAt - clock.now() < sessionMarginMs) session = await assume(roleArn, signal);
    return session;
  };
  return {
    async mint(signal) {
      return presignToken(sts, await credentials(signal), hub, clock.now());
    },
    forget() {
      session = undefined;
    },
    close: () => sts.destroy(),
  };
}
