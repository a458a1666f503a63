import type { KubeError } from '@flotilla/kube';
import type { Attributes } from '../contracts/authorizer.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import { forbidden, forbiddenPath } from '../errors/api-errors.ts';
import { goQuote } from '../errors/go-text.ts';

/** The 403 that names the user, the verb and the resource, and the reason if the authorizer has one. */
export function refusal(user: UserInfo, attributes: Attributes, reason: string): KubeError {
  const why = reason === '' ? '' : `: ${reason}`;
  const who = `User ${goQuote(user.name)} cannot ${attributes.verb}`;
  if (attributes.kind === 'path') return forbiddenPath(`${who} path ${goQuote(attributes.path)}${why}`);
  const { group, resource, subresource, namespace, name = '' } = attributes;
  const what = `resource ${goQuote(subresource ? `${resource}/${subresource}` : resource)} in API group ${goQuote(group)}`;
  const where = namespace ? `in the namespace ${goQuote(namespace)}` : 'at the cluster scope';
  return forbidden({ group, plural: resource }, name, `${who} ${what} ${where}${why}`);
}
