import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import type { SessionCredentials } from './presigned-token.ts';

/** Keys of an assumed role, and until when they work. */
export interface RoleSession extends SessionCredentials {
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Becomes a role. The session name says in CloudTrail which cluster came. */
export async function assumeRole(
  sts: STSClient,
  roleArn: string,
  sessionName: string,
  signal: AbortSignal,
): Promise<RoleSession> {
  const command = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: sessionNameOf(sessionName) });
  const { Credentials: keys } = await sts.send(command, { abortSignal: signal });
  if (!keys?.AccessKeyId || !keys.SecretAccessKey || !keys.Expiration) {
    throw new Error(`STS answered AssumeRole of ${roleArn} without credentials`);
  }
  return {
    accessKeyId: keys.AccessKeyId,
    secretAccessKey: keys.SecretAccessKey,
    ...(keys.SessionToken && { sessionToken: keys.SessionToken }),
    expiresAt: keys.Expiration.getTime(),
  };
}

/** STS takes 2 to 64 characters of a small alphabet. */
const sessionNameOf = (text: string): string =>
  text
    .replaceAll(/[^\w+=,.@-]/g, '-')
    .slice(0, 64)
    .padEnd(2, '-');
