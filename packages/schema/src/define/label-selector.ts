import { atomicListOf, mapOf, object, optional, text } from './shapes.ts';

/** metav1.LabelSelectorRequirement, about labels or something like them. */
export const selectorRequirement = (subject: string) =>
  object(`A rule that the values of one ${subject} must satisfy.`, {
    key: text(`The ${subject} that the rule is about.`),
    operator: text('In, NotIn, Exists or DoesNotExist; claims also take Gt and Lt.'),
    values: optional(
      atomicListOf('Values to compare with; empty for Exists and DoesNotExist.', text('A value to compare with.')),
    ),
  });

/** metav1.LabelSelector. */
export const labelSelector = (description: string) =>
  object(
    description,
    {
      matchLabels: optional(mapOf('Labels that must be present with these values.', text('The value of the label.'))),
      matchExpressions: optional(atomicListOf('Rules that must all hold.', selectorRequirement('label'))),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );
