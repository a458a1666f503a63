import { describeFieldErrors, type FieldError, type ValidationResult } from '@flotilla/schema/validation';
import type { ServerResult } from './server-validator.ts';

/** True if we name the cause, or a part of its field: where the server names only a parent, we may be more exact. */
const isNamed = (cause: { field: string; reason: string }, errors: readonly FieldError[]): boolean =>
  errors.some(
    ({ field, reason }) =>
      (field === cause.field && reason === cause.reason) ||
      field.startsWith(`${cause.field}.`) ||
      field.startsWith(`${cause.field}[`),
  );

/** How our validation of an object differs from the server's; undefined if it does not. */
export const disagreement = (what: string, ours: ValidationResult, server: ServerResult): string | undefined => {
  const reasons = describeFieldErrors(ours.errors);
  if (server.accepted !== (ours.errors.length === 0)) {
    return server.accepted
      ? `${what}: the server accepts it, we say ${reasons}`
      : `${what}: we accept it, the server says ${server.message}`;
  }
  const unnamed = server.causes.filter((cause) => !isNamed(cause, ours.errors));
  if (unnamed.length === 0) return undefined;
  const causes = unnamed.map(({ field, reason }) => `${field} (${reason})`).join(', ');
  return `${what}: the server also names ${causes}, we say ${reasons}`;
};
