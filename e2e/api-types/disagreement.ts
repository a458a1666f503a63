import { describeFieldErrors, type Judgement } from '@flotilla/api-types/validation';
import type { Verdict } from './server-verdict.ts';

/** True if the path is the field, or a part of it: where the server names only a parent, we may be more exact. */
const isWithin = (path: string, field: string): boolean =>
  path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);

/** How our judgement of an object differs from the server's, in words; undefined if it does not. */
export const disagreement = (what: string, ours: Judgement, server: Verdict): string | undefined => {
  const reasons = describeFieldErrors(ours.errors);
  if (server.accepted !== (ours.errors.length === 0)) {
    return server.accepted
      ? `${what}: the server accepts it, we say ${reasons}`
      : `${what}: we accept it, the server says ${server.message}`;
  }
  const unnamed = server.fields.filter((field) => !ours.errors.some((error) => isWithin(error.field, field)));
  return unnamed.length > 0 ? `${what}: the server also names ${unnamed.join(', ')}, we say ${reasons}` : undefined;
};
