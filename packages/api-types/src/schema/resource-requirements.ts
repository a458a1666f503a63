import { listByKey, mapOf, object, oneOf, optional, quantity, text } from '@flotilla/schema/define';

/** v1.ResourceRequirements of a container. */
export const resourceRequirements = (description: string) =>
  object(description, {
    limits: optional(mapOf('The most that the container may use.', quantity('An amount such as 500m or 2Gi.'))),
    requests: optional(mapOf('What is set aside for the container.', quantity('An amount such as 500m or 2Gi.'))),
    claims: optional(
      listByKey(
        'Resource claims of the pod that the container uses.',
        ['name'],
        object('A resource claim in use.', {
          name: text('Name of the claim in the pod.'),
          request: optional(text('The one request of the claim to use; all of them when empty.')),
        }),
      ),
    ),
  });

/** How the operator sizes the pods that it runs. */
export const resourceRequirement = () =>
  object('Resources of the containers that the operator runs.', {
    type: optional(
      oneOf(
        'Default keeps the built-in requests, BestEffort sets none, ResourceRequirement uses resourceRequirements.',
        ['Default', 'BestEffort', 'ResourceRequirement'],
        { default: 'Default' },
      ),
    ),
    resourceRequirements: optional(resourceRequirements('Used when type is ResourceRequirement.')),
  });
