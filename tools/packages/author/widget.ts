import type { ResourceType } from '@flotilla/kube';
import type { Resource } from '@flotilla/schema/define';
import {
  conditions,
  defineKind,
  int32,
  object,
  optional,
  rootOf,
  toCustomResourceDefinitions,
} from '@flotilla/schema/define';

const schema = rootOf('A widget.', {
  spec: object('What the widget is to be.', { size: int32('Its size.', { minimum: 1 }) }),
  status: optional(object('What it is.', { conditions: optional(conditions('How it is.')) })),
});
export type Widget = Resource<typeof schema>;
const names = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets' };
export const widgets: ResourceType<Widget> = { ...names, namespaced: true };
export const definitions = toCustomResourceDefinitions([defineKind({ resource: widgets, schema })]);
