import { int64, listOf, mapOf, object, optional, text } from '@flotilla/schema/define';

const toleration = object('A node taint that the pods accept.', {
  key: optional(text('Key of the taint; empty with operator Exists accepts every taint.')),
  operator: optional(text('Exists or Equal; Equal when empty.')),
  value: optional(text('Value of the taint, for operator Equal.')),
  effect: optional(text('Effect of the taint; empty accepts all effects.')),
  tolerationSeconds: optional(
    int64('How long pods stay on a node after a NoExecute taint appears; for ever when unset.'),
  ),
});

/** Where pods may run. */
export const nodePlacement = (description: string) =>
  object(description, {
    nodeSelector: optional(mapOf('Labels that a node must have.', text('The value of the label.'))),
    tolerations: optional(listOf('Node taints that the pods accept.', toleration)),
  });
