import type { IncomingHttpHeaders } from 'node:http2';
import { KubeError } from '@flotilla/kube';
import type { HeaderList, HubUser } from '../member/member.ts';

/** Who sends the request: JSON in base64url, as names may hold any character. */
export const userHeader = 'flotilla-user';
/** In a request: what it asks to go on with. In an answer of 200: that the connection goes on with it. */
export const upgradeHeader = 'flotilla-upgrade';

export const encodeUser = (user: HubUser): string => Buffer.from(JSON.stringify(user)).toString('base64url');

/** Throws `BadRequest` for what the hub does not send. */
export function decodeUser(text: unknown): HubUser {
  try {
    const { name, uid, groups, extra } = JSON.parse(Buffer.from(String(text), 'base64url').toString('utf8'));
    if (typeof name !== 'string' || !isTexts(groups)) throw new Error('no name or no groups');
    const extras = Object.entries(extra ?? {}).filter((entry): entry is [string, string[]] => isTexts(entry[1]));
    return { name, groups, extra: Object.fromEntries(extras), ...(typeof uid === 'string' && { uid }) };
  } catch (cause) {
    throw new KubeError('BadRequest', 'the hub does not say whose request this is', { cause, status: 400 });
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The headers of an HTTP/2 message but those that begin with a colon. */
export const listOf = (headers: IncomingHttpHeaders): HeaderList =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(':') ? [] : [value].flat().map((one) => [name, one] as const),
  );
