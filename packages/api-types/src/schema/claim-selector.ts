import { listOf, object, optional, selectorRequirement } from '@flotilla/schema/define';

/** Selects clusters by the claims that they report. */
export const claimSelector = (description: string) =>
  object(description, {
    matchExpressions: optional(listOf('Rules that must all hold.', selectorRequirement('cluster claim'))),
  });
