import { type KubeClient, KubeError } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import {
  type MemberRecord,
  memberSecretKey,
  readMemberProxy,
  readMemberRecord,
} from '@flotilla/registration-core/push';
import type { MemberProxy } from './proxy-flags.ts';

/** What an earlier `join --push` under the same name stored on the hub. */
export interface EarlierPush {
  readonly secret: Secret;
  /** Absent if it cannot be read: the command writes it anew. */
  readonly record?: MemberRecord;
  readonly proxy: MemberProxy;
}

/** Finds an earlier join; undefined if there was none, or if the user may not see it. */
export async function findEarlierPush(hub: KubeClient, clusterName: string): Promise<EarlierPush | undefined> {
  const secret = await hub
    .resource(secrets)
    .find(memberSecretKey(clusterName))
    .catch((error: unknown) => {
      // The checks name the missing right.
      if (KubeError.is(error, 'Forbidden')) return undefined;
      throw error;
    });
  if (!secret) return undefined;
  const record = readable(() => readMemberRecord(secret));
  return { secret, ...(record && { record }), proxy: readable(() => readMemberProxy(secret)) ?? {} };
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (KubeError.is(error, 'Config')) return undefined;
    throw error;
  }
}

/** The proxy of the flags over the earlier one, whose CA and headers are for no other proxy. An empty `--proxy-url` means none. */
export function proxyAgain(flags: MemberProxy, earlier: MemberProxy = {}): MemberProxy {
  const { proxyUrl = earlier.proxyUrl, ...others } = flags;
  const isSame = proxyUrl === earlier.proxyUrl;
  const { proxyUrl: _, ...before } = earlier;
  return { ...(proxyUrl !== undefined && { proxyUrl }), ...(isSame && before), ...others };
}
