import type { ResourceType } from '@flotilla/schema';
import {
  defineKind,
  int32,
  object,
  optional,
  type Resource,
  rootOf,
  text,
  toCustomResourceDefinitions,
  toValidatedKind,
} from '@flotilla/schema/define';
import { createSchemaValidator, describeFieldErrors } from '@flotilla/schema/validation';

const schema = rootOf('A widget.', {
  spec: object('What the widget looks like.', {
    color: optional(text('Its color.', { default: 'green' })),
    size: int32('Its size in millimetres.', { minimum: 1 }),
  }),
});

/** The TypeScript type comes from the schema. */
export type Widget = Resource<typeof schema>;

export const widgets: ResourceType<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

const kind = defineKind({ resource: widgets, schema });

// The CustomResourceDefinition to apply.
export const definitions = toCustomResourceDefinitions([kind]);

// What kube-apiserver answers, without a server.
const validator = createSchemaValidator(toValidatedKind(kind));
export const report = describeFieldErrors(validator.check({ metadata: { name: 'w' }, spec: { size: 0 } }).errors);
// spec.size: 0 must be at least 1
