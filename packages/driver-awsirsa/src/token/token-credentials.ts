import type { KubeCredentials } from '@flotilla/registration-core/kube-hub';
import { explainAwsError } from '../aws-error.ts';
import type { TokenSource } from './token-source.ts';

/** Tokens as the credentials of a connection. */
export interface TokenCredentials extends KubeCredentials {
  /** Why the last token could not be made; undefined if it could. */
  failure(): Error | undefined;
}

/** Makes a token when the connection needs one, and another before it ends or when the hub refuses it. */
export function createTokenCredentials(
  source: () => Promise<TokenSource>,
  roleArn: string,
  signal: AbortSignal,
): TokenCredentials {
  let failure: Error | undefined;
  let isRefused = false;
  return {
    async current() {
      try {
        const tokens = await source();
        if (isRefused) tokens.forget();
        isRefused = false;
        const { token, expiresAt } = await tokens.mint(signal);
        failure = undefined;
        return { authorization: `Bearer ${token}`, expiresAt };
      } catch (error) {
        const { message } = explainAwsError('sts:AssumeRole', roleArn, error);
        failure = new Error(message, { cause: error });
        throw failure;
      }
    },
    invalidate() {
      isRefused = true;
    },
    failure: () => failure,
  };
}
